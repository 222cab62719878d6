// Pictures that bodies wear, decoded once for all scenes and panes. They come after the first frame, and then the
// picture is drawn again.
import * as THREE from "three";
import { bytesOf } from "../bytes";
import type { SceneMessage } from "../protocol";
import type { Worn } from "./materials";

const KEPT = 64; // beyond so many the oldest go
const SHARP = 4; // samples along a picture that is seen aslant

const known = new Map<string, THREE.Texture>();
let came = (): void => undefined;
const waiting = new Set<Promise<void>>();

async function decode(png: string, texture: THREE.Texture): Promise<void> {
  try {
    const picture = new Blob([bytesOf(png)], { type: "image/png" });
    texture.image = await createImageBitmap(picture, { imageOrientation: "flipY", premultiplyAlpha: "none" });
    texture.needsUpdate = true;
    texture.userData.ready = true;
    came();
  } catch {
    // The body keeps its colour.
  }
}

function textureOf(png: string): THREE.Texture {
  const old = known.get(png);
  if (old) return old;
  const texture = new THREE.Texture();
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.anisotropy = SHARP;
  texture.flipY = false; // the picture is turned as it is decoded
  const ready = decode(png, texture);
  waiting.add(ready);
  void ready.then(() => waiting.delete(ready));
  known.set(png, texture);
  for (const [first, oldest] of known) {
    if (known.size <= KEPT) break;
    oldest.dispose();
    known.delete(first);
  }
  return texture;
}

// Whom to tell when a picture can be drawn.
export function onTexture(call: () => void): void {
  came = call;
}

// What a body of the scene wears.
export function wornBy(scene: SceneMessage, body: number): Omit<Worn, "placed"> | null {
  const look = scene.bodies[body].look;
  const png = look?.texture === undefined ? null : scene.textures?.[look.texture];
  return png ? { map: textureOf(png), size: look?.texture_size ?? 0 } : null;
}

// When all pictures that are known by now can be drawn.
export async function texturesReady(): Promise<void> {
  await Promise.all(waiting);
}
