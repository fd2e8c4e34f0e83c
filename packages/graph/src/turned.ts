import type { Canvas, Point } from './canvas.ts';

/** Draws along the layers and across them, whichever way they go: a point is (along, across). */
export class Turned {
  readonly #canvas: Canvas;
  readonly #isDown: boolean;

  constructor(canvas: Canvas, isDown: boolean) {
    this.#canvas = canvas;
    this.#isDown = isDown;
  }

  line(from: Point, to: Point): void {
    this.#canvas.line(this.#turn(from), this.#turn(to));
  }

  join(at: Point): void {
    this.#canvas.join(this.#turn(at));
  }

  text(at: Point, text: string): void {
    this.#canvas.text(this.#turn(at), text);
  }

  #turn([along, across]: Point): Point {
    return this.#isDown ? [across, along] : [along, across];
  }
}
