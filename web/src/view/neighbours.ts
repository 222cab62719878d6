// Which colour each body takes, so that neighbours differ: a colouring of the graph of bodies whose boxes nearly touch.
// Bodies take colours one after the other: of those that their neighbours have least, the one that is used least so far.
import * as THREE from "three";
import type { Frame, SceneMessage } from "../protocol";
import { bodyBox, bodyMatrix } from "./extent";

const NEAR = 0.06; // of a body's size: what is nearer is a neighbour
const NEIGHBOURS_MOST = 24; // of one body that are looked at

interface Place {
  body: number;
  box: THREE.Box3;
}

function places(scene: SceneMessage, frame: Frame): Place[] {
  const matrix = new THREE.Matrix4();
  const found: Place[] = [];
  scene.bodies.forEach((body, b) => {
    if (body.fixed || b >= frame.bodies) return;
    const box = bodyBox(body);
    if (box.isEmpty()) return;
    box.applyMatrix4(bodyMatrix(frame, b, matrix));
    found.push({ body: b, box: box.expandByScalar(NEAR * box.getSize(new THREE.Vector3()).length()) });
  });
  return found.sort((p, q) => p.box.min.x - q.box.min.x);
}

// Pairs of bodies that move and whose boxes overlap, swept along x.
export function neighbours(scene: SceneMessage, frame: Frame): number[][] {
  const of: number[][] = scene.bodies.map(() => []);
  const swept = places(scene, frame);
  for (let i = 0; i < swept.length; i++) {
    for (let j = i + 1; j < swept.length && swept[j].box.min.x <= swept[i].box.max.x; j++) {
      const [p, q] = [swept[i], swept[j]];
      if (of[p.body].length >= NEIGHBOURS_MOST) break;
      if (!p.box.intersectsBox(q.box)) continue;
      of[p.body].push(q.body);
      of[q.body].push(p.body);
    }
  }
  return of;
}

// One of `count` colours for every body; -1 for those that do not move.
export function colourBodies(scene: SceneMessage, frame: Frame, count: number): Int16Array {
  const colours = new Int16Array(scene.bodies.length).fill(-1);
  const used = new Array<number>(count).fill(0);
  const near = neighbours(scene, frame);
  scene.bodies.forEach((body, b) => {
    if (body.fixed) return;
    const taken = new Array<number>(count).fill(0);
    for (const other of near[b]) if (colours[other] >= 0) taken[colours[other]]++;
    let best = 0;
    for (let c = 1; c < count; c++)
      if (taken[c] < taken[best] || (taken[c] === taken[best] && used[c] < used[best])) best = c;
    colours[b] = best;
    used[best]++;
  });
  return colours;
}
