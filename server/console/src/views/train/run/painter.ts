/**
 * Draws many items on a canvas, a few milliseconds a frame: what is new is drawn onto what is there, and
 * only where the scales have changed all of it again.
 */

export interface Size {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
}

export interface Scene {
  /** How many items there are now. */
  count(): number;
  /** Whether what is drawn does not hold any more, such as after a change of scales. */
  isStale(): boolean;
  /** Draws what lies under the items, on an empty canvas. */
  begin(context: CanvasRenderingContext2D, size: Size, colours: Colours): void;
  draw(context: CanvasRenderingContext2D, item: number, colours: Colours): void;
  /** Once all items are drawn. */
  finish?(context: CanvasRenderingContext2D, colours: Colours): void;
}

/** Those of the style sheet by their names, such as `--s1`, as the canvas takes them. */
export type Colours = (name: string) => string;

/** Of each frame. */
const FRAME_MS = 3;
/** Items between two looks at the clock. */
const CHUNK = 64;

export class Painter {
  readonly #canvas: HTMLCanvasElement;
  readonly #scene: Scene;
  readonly #colours = new Map<string, string>();
  readonly #watch: ResizeObserver;
  readonly #themes: MutationObserver;
  readonly #system = matchMedia("(prefers-color-scheme: dark)");
  #size: Size = { width: 0, height: 0 };
  #drawn = -1;
  #frame = 0;

  constructor(canvas: HTMLCanvasElement, scene: Scene) {
    this.#canvas = canvas;
    this.#scene = scene;
    this.#watch = new ResizeObserver(() => this.#resize());
    this.#watch.observe(canvas);
    this.#themes = new MutationObserver(this.#restyle);
    this.#themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.#system.addEventListener("change", this.#restyle);
    this.#resize();
  }

  /** Draws what has come, in the next frame. */
  request(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#paint());
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#watch.disconnect();
    this.#themes.disconnect();
    this.#system.removeEventListener("change", this.#restyle);
  }

  #restyle = (): void => {
    this.#colours.clear();
    this.#drawn = -1;
    this.request();
  };

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    if (width === this.#size.width && height === this.#size.height) return;
    const ratio = devicePixelRatio;
    this.#size = { width, height };
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    this.#drawn = -1;
    this.request();
  }

  #colour: Colours = (name) => {
    const known = this.#colours.get(name);
    if (known !== undefined) return known;
    // A variable's value is resolved only where a property has it.
    this.#canvas.style.color = `var(${name})`;
    const { color } = getComputedStyle(this.#canvas);
    this.#colours.set(name, color);
    return color;
  };

  #paint(): void {
    this.#frame = 0;
    const context = this.#canvas.getContext("2d");
    if (context === null || this.#size.width === 0) return;
    const until = performance.now() + FRAME_MS;
    const ratio = devicePixelRatio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const wasStale = this.#scene.isStale();
    if (wasStale || this.#drawn < 0 || this.#drawn > this.#scene.count()) {
      context.clearRect(0, 0, this.#size.width, this.#size.height);
      this.#scene.begin(context, this.#size, this.#colour);
      this.#drawn = 0;
    }
    const count = this.#scene.count();
    while (this.#drawn < count && performance.now() < until) {
      const end = Math.min(count, this.#drawn + CHUNK);
      for (; this.#drawn < end; this.#drawn += 1) {
        this.#scene.draw(context, this.#drawn, this.#colour);
      }
    }
    if (this.#drawn < count) this.request();
    else this.#scene.finish?.(context, this.#colour);
  }
}
