// Light that corners and gaps do not get: ambient occlusion, found from the depths and normals of the picture (GTAO,
// Jimenez et al. 2016, as three.js has it) and multiplied onto it. It costs a second look at the scene, so that a
// machine without a graphics processor does without unless it is asked for.
import * as THREE from "three";
import { FullScreenQuad } from "three/examples/jsm/postprocessing/Pass.js";
import { GTAOPass } from "three/examples/jsm/postprocessing/GTAOPass.js";

export const SOLID = 1; // layer of what casts and takes occlusion: neither marks nor what one looks through

const RADIUS = 0.12; // of the scene's size: how far away things darken each other
const REACH = 3; // of the scene's size, from its middle: beyond it depths are too coarse to tell
const STRENGTH = 1.4;
const SAMPLES = 16;
const SMOOTH = { lumaPhi: 10, depthPhi: 2, normalPhi: 3, radius: 10, radiusExponent: 1.5, rings: 3, samples: 24 };

// A picture of shares of light, multiplied onto what is drawn already.
const multiply = new THREE.ShaderMaterial({
  uniforms: { light: { value: null } },
  vertexShader: "varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }",
  fragmentShader:
    "uniform sampler2D light; varying vec2 at; void main() { gl_FragColor = vec4(texture2D(light, at).rrr, 1.0); }",
  depthTest: false,
  depthWrite: false,
  transparent: true,
  blending: THREE.CustomBlending,
  blendSrc: THREE.DstColorFactor,
  blendDst: THREE.ZeroFactor,
  blendEquation: THREE.AddEquation,
});

export class Occlusion {
  private readonly pass: GTAOPass;
  private readonly camera = new THREE.PerspectiveCamera();
  private readonly quad = new FullScreenQuad(multiply);

  constructor(private readonly scene: THREE.Scene) {
    this.pass = new GTAOPass(scene, this.camera, 16, 16);
    this.pass.output = GTAOPass.OUTPUT.Off;
    this.pass.updatePdMaterial(SMOOTH);
  }

  // Onto a part of the canvas, from below and in pixels of the page, for a scene of this middle and size, m.
  draw(
    renderer: THREE.WebGLRenderer,
    camera: THREE.PerspectiveCamera,
    part: THREE.Vector4,
    { centre, size }: { centre: THREE.Vector3; size: number },
  ): void {
    const ratio = renderer.getPixelRatio();
    this.pass.setSize(Math.max(1, Math.round(part.z * ratio)), Math.max(1, Math.round(part.w * ratio)));
    this.camera.copy(camera);
    this.camera.layers.set(SOLID);
    this.camera.far = Math.max(10 * camera.near, camera.position.distanceTo(centre) + REACH * size);
    this.camera.updateProjectionMatrix();
    const radius = RADIUS * size;
    this.pass.updateGtaoMaterial({ radius, thickness: radius, distanceFallOff: 0.6, scale: STRENGTH, samples: SAMPLES });
    const [background, shadows, scissor] = [this.scene.background, renderer.shadowMap.autoUpdate, renderer.getScissorTest()];
    this.scene.background = null;
    renderer.shadowMap.autoUpdate = false; // they are as they were for the picture
    renderer.setScissorTest(false);
    this.pass.render(renderer, this.pass.pdRenderTarget, this.pass.pdRenderTarget, 0, false);
    renderer.shadowMap.autoUpdate = shadows;
    this.scene.background = background;
    renderer.setScissorTest(scissor);
    renderer.setRenderTarget(null);
    renderer.setViewport(part);
    renderer.setScissor(part);
    multiply.uniforms.light.value = this.pass.pdRenderTarget.texture;
    const clears = renderer.autoClear;
    renderer.autoClear = false;
    this.quad.render(renderer);
    renderer.autoClear = clears;
  }

  dispose(): void {
    this.pass.dispose();
    this.quad.dispose();
  }
}
