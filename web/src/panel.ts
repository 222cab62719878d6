// A part of the page that follows the simulation. Panels are told of everything in the order in which it arrives.
import type {
  BodyMessage,
  ContactMessage,
  Frame,
  HelloMessage,
  LoopMessage,
  SceneMessage,
  StateMessage,
} from "./protocol";

export interface Panel {
  hello?(message: HelloMessage): void;
  scene?(message: SceneMessage): void; // a new scene or a reset: what was gathered belongs to the past
  state?(message: StateMessage): void; // settings changed
  frame?(frame: Frame): void; // up to 60 times a second and pane
  loop?(message: LoopMessage): void;
  bodyState?(message: BodyMessage): void;
  contactState?(message: ContactMessage): void;
  theme?(dark: boolean): void; // colours changed: read the CSS variables again
}
