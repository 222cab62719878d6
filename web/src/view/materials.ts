// The few materials of a scene. Outlines come from the attribute `edge` (geometry.ts), the grid from the position.
import * as THREE from "three";

// Patterns are painted by place on the shape: `own` is that from -1 to 1, and `patterned` holds the half extents, and
// which pattern it is.
const EDGE_VERTEX =
  "attribute vec3 edge, own;\nattribute vec4 patterned;\nvarying vec3 vEdge, vOwn;\nvarying vec4 vPatterned;\n";
const EDGE_FRAGMENT = `
  vec3 edgeWidth = fwidth(vEdge);
  vec3 away = smoothstep(vec3(0.0), 1.4 * edgeWidth + 1e-6, vEdge);
  float line = 1.0 - min(away.x, min(away.y, away.z));
  // Seen from far off, lines would fill the whole face: they fade before.
  float near = clamp(1.2 - 2.5 * max(edgeWidth.x, max(edgeWidth.y, edgeWidth.z)), 0.0, 1.0);
  if (vPatterned.w > 0.5) diffuseColor.rgb = patternOf(diffuseColor.rgb, vOwn * vPatterned.xyz, vPatterned);
  diffuseColor.rgb *= 1.0 - 0.55 * line * near;
  diffuseColor.a = mix(diffuseColor.a, max(diffuseColor.a, 0.55), line * near);
  if (vEdge.x > 1.5) { // a ball: alternate eighths are a little darker
    vec3 side = clamp(vOwn / (fwidth(vOwn) + 1e-6), -1.0, 1.0);
    diffuseColor.rgb *= 0.92 + 0.08 * side.x * side.y * side.z;
  }
`;

// 1 checks, 2 stripes along the longest side, 3 the back of a playing card: a white rim, and lozenges within.
const PATTERN_FRAGMENT = `
vec3 patternOf(vec3 colour, vec3 at, vec4 patterned) {
  vec3 halves = patterned.xyz;
  float longest = max(halves.x, max(halves.y, halves.z));
  if (patterned.w < 1.5) {
    vec3 cell = floor(at / (0.25 * longest) + 1e-3);
    return mod(cell.x + cell.y + cell.z, 2.0) < 0.5 ? colour : 0.72 * colour;
  }
  if (patterned.w < 2.5) {
    float along = halves.x >= longest ? at.x : halves.y >= longest ? at.y : at.z;
    return mod(floor(along / (0.2 * longest) + 0.5), 2.0) < 0.5 ? colour : 0.72 * colour;
  }
  float thin = min(halves.x, min(halves.y, halves.z));
  vec2 on = halves.x <= thin ? at.yz : halves.y <= thin ? at.zx : at.xy;
  vec2 size = halves.x <= thin ? halves.yz : halves.y <= thin ? halves.zx : halves.xy;
  float across = halves.x <= thin ? at.x : halves.y <= thin ? at.y : at.z;
  if (abs(across) < 0.98 * thin) return vec3(0.86);
  float small = min(size.x, size.y);
  vec2 inside = size - abs(on);
  float inner = min(inside.x, inside.y);
  if (inner < 0.13 * small) return vec3(0.93, 0.92, 0.89);
  if (inner < 0.17 * small) return colour;
  if (inner < 0.20 * small) return vec3(0.93, 0.92, 0.89);
  vec2 lozenge = abs(fract(vec2(on.x + on.y, on.x - on.y) / (0.34 * small)) - 0.5);
  float width = fwidth(on.x) / (0.34 * small);
  float paint = smoothstep(0.40 - width, 0.40 + width, max(lozenge.x, lozenge.y));
  return mix(colour, mix(colour, vec3(0.93, 0.92, 0.89), 0.75), paint * clamp(1.3 - 4.0 * width, 0.0, 1.0));
}
`;

// A picture on a shape that does not say where, from six sides, as apps/export/box_map.c has it: the picture that lies
// in the plane of the two axes other than the normal's.
const WORN_FRAGMENT = `
uniform sampler2D worn;
uniform float wornSize, wornShown;
vec2 wornPlace(vec3 own, vec3 halves) {
  vec3 at = own * halves;
  vec3 n = cross(dFdx(at), dFdy(at));
  if (!gl_FrontFacing) n = -n;
  vec3 a = abs(n);
  vec3 wide = wornSize > 0.0 ? vec3(wornSize) : 2.0 * max(halves, vec3(1e-9));
  vec3 p = at / wide;
  if (a.x >= a.y && a.x >= a.z) return 0.5 + vec2(n.x < 0.0 ? -p.y : p.y, p.z);
  if (a.y >= a.z) return 0.5 + vec2(n.y < 0.0 ? p.x : -p.x, p.z);
  return 0.5 + vec2(n.z < 0.0 ? -p.x : p.x, p.y);
}
`;

// Walls end at a height, and fade before.
const CUT_VERTEX = "\n vHeight = (modelMatrix * instanceMatrix * vec4(transformed, 1.0)).z;";
const CUT_FRAGMENT = "\n diffuseColor.a *= 1.0 - smoothstep(cut.x, cut.y, vHeight);\n if (diffuseColor.a < 0.004) discard;";

function addCut(shader: THREE.WebGLProgramParametersWithUniforms, cut: [number, number]): void {
  shader.uniforms.cut = { value: new THREE.Vector2(...cut) };
  shader.vertexShader =
    "varying float vHeight;\n" +
    shader.vertexShader.replace("#include <project_vertex>", `#include <project_vertex>${CUT_VERTEX}`);
  shader.fragmentShader =
    "varying float vHeight;\nuniform vec2 cut;\n" +
    shader.fragmentShader.replace("#include <alphatest_fragment>", `${CUT_FRAGMENT}\n#include <alphatest_fragment>`);
}

function addEdges(
  material: THREE.Material,
  worn: Worn | null,
  uniforms: WornUniforms | null,
  cut: [number, number] | null,
): void {
  material.onBeforeCompile = (shader) => {
    if (uniforms) Object.assign(shader.uniforms, uniforms);
    if (cut) addCut(shader, cut);
    shader.vertexShader =
      `${EDGE_VERTEX}${worn?.placed ? "varying vec2 vPlace;\n" : ""}` +
      shader.vertexShader.replace(
        "#include <begin_vertex>",
        `#include <begin_vertex>\n vEdge = edge;\n vOwn = own;\n vPatterned = patterned;
         ${worn?.placed ? "vPlace = uv;" : ""}`,
      );
    const place = worn?.placed ? "vPlace" : "wornPlace(vOwn, vPatterned.xyz)";
    const wear = worn ? `diffuseColor.rgb *= mix(vec3(1.0), texture2D(worn, ${place}).rgb, wornShown);` : "";
    shader.fragmentShader =
      `varying vec3 vEdge, vOwn;\nvarying vec4 vPatterned;\n${worn?.placed ? "varying vec2 vPlace;\n" : ""}` +
      PATTERN_FRAGMENT +
      (worn ? WORN_FRAGMENT : "") +
      shader.fragmentShader.replace(
        "#include <color_fragment>",
        `#include <color_fragment>\n${wear}\n${EDGE_FRAGMENT}`,
      );
  };
  material.customProgramCacheKey = () => `worn ${worn ? (worn.placed ? "placed" : "boxed") : "none"} ${cut ? "cut" : ""}`;
}

// A picture on it: `placed` where the geometry says at which place (its `uv`).
export interface Worn {
  map: THREE.Texture;
  size: number;
  placed: boolean;
}

export interface WornUniforms {
  worn: { value: THREE.Texture | null };
  wornSize: { value: number };
  wornShown: { value: number }; // 0 hides it
  [name: string]: THREE.IUniform;
}

// `lined`: lines are drawn on it, which must not sink in. `cut`: heights between which it fades.
export function bodyMaterial(
  planar: boolean,
  opacity: number,
  lined = false,
  worn: Worn | null = null,
  cut: [number, number] | null = null,
): THREE.Material {
  const seeThrough = opacity < 1;
  const common = {
    polygonOffset: lined,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
    vertexColors: true,
    transparent: seeThrough,
    opacity,
    depthWrite: !seeThrough,
  };
  const material = planar
    ? new THREE.MeshBasicMaterial({ ...common, side: THREE.DoubleSide })
    : new THREE.MeshLambertMaterial({ ...common, side: seeThrough ? THREE.DoubleSide : THREE.FrontSide });
  const uniforms = worn && { worn: { value: worn.map }, wornSize: { value: worn.size }, wornShown: { value: 1 } };
  addEdges(material, worn, uniforms, cut);
  material.userData.worn = uniforms;
  return material;
}

export interface GroundUniforms {
  ground: { value: THREE.Color };
  grid: { value: THREE.Color };
  far: { value: THREE.Color }; // the background, into which the ground fades
  cell: { value: number };
  centre: { value: THREE.Vector3 };
  reach: { value: number };
}

export function groundUniforms(): GroundUniforms {
  return {
    ground: { value: new THREE.Color() },
    grid: { value: new THREE.Color() },
    far: { value: new THREE.Color() },
    cell: { value: 1 },
    centre: { value: new THREE.Vector3() },
    reach: { value: 10 },
  };
}

const GRID_FRAGMENT = `
  // Two sets of lines, the coarser of ten cells; each is one pixel wide and fades where cells become pixels.
  vec2 at = vOnGround / cell;
  float lines = 0.0;
  for (int i = 0; i < 2; i++) {
    vec2 wide = fwidth(at);
    vec2 off = abs(fract(at - 0.5) - 0.5) / max(wide, vec2(1e-6));
    float visible = clamp(1.0 - 2.5 * max(wide.x, wide.y), 0.0, 1.0);
    lines = max(lines, (1.0 - smoothstep(0.4, 1.2, min(off.x, off.y))) * visible * (i == 0 ? 0.5 : 1.0));
    at /= 10.0;
  }
  diffuseColor.rgb = mix(ground, grid, lines);
`;
const FADE_FRAGMENT = `
  float away = length(vInWorld - centre) / reach;
  gl_FragColor.rgb = mix(gl_FragColor.rgb, farColour, smoothstep(0.35, 1.0, away));
`;

// Ground with a grid that fades into the background. `axes` picks the two coordinates of the grid.
export function groundMaterial(uniforms: GroundUniforms, planar: boolean): THREE.Material {
  const material = planar ? new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }) : new THREE.MeshLambertMaterial();
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, {
      ground: uniforms.ground,
      grid: uniforms.grid,
      farColour: uniforms.far,
      cell: uniforms.cell,
      centre: uniforms.centre,
      reach: uniforms.reach,
    });
    shader.vertexShader =
      "varying vec2 vOnGround;\nvarying vec3 vInWorld;\n" +
      shader.vertexShader.replace(
        "#include <project_vertex>",
        `#include <project_vertex>
         vInWorld = (modelMatrix * vec4(transformed, 1.0)).xyz;
         vOnGround = vInWorld.xy;`,
      );
    shader.fragmentShader =
      "varying vec2 vOnGround;\nvarying vec3 vInWorld;\nuniform vec3 ground, grid, farColour, centre;\nuniform float cell, reach;\n" +
      shader.fragmentShader
        .replace("#include <color_fragment>", `#include <color_fragment>\n${GRID_FRAGMENT}`)
        .replace("#include <dithering_fragment>", `#include <dithering_fragment>\n${FADE_FRAGMENT}`);
  };
  return material;
}
