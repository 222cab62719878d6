// Pictures that looks name: "look": {"texture": "oak.png"}.
#ifndef CH_SCENE_TEXTURE_H
#define CH_SCENE_TEXTURE_H

#include "scene/reader.h"

// A row's type: the name of a PNG file, found from the folder of the document, into a ChLook. The file is decoded once
// to see that it is whole, and given to the reader's world as it is. One that two looks name is read once.
extern const ChFieldType ch_type_texture;

#endif
