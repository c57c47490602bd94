/** How a network's parameters are changed by their gradients. */

/**
 * One step of Adam with decoupled decay (Kingma & Ba, ICLR 2015; Loshchilov & Hutter, ICLR 2019).
 *
 * @param count f32 numbers, a multiple of 4
 * @param correction1 1 / (1 - β₁ᵗ); likewise 2
 * @param shrinkage share of each parameter that is taken off
 */
export function adamStep(
  parameters: usize,
  gradients: usize,
  first: usize,
  second: usize,
  count: i32,
  rate: f32,
  beta1: f32,
  beta2: f32,
  correction1: f32,
  correction2: f32,
  shrinkage: f32,
): void {
  const step = f32x4.splat(rate * correction1);
  const kept = f32x4.splat(<f32>1 - shrinkage);
  for (let at: usize = 0; at < (<usize>count) << 2; at += 16) {
    const g = v128.load(gradients + at);
    const m = f32x4.add(
      f32x4.mul(f32x4.splat(beta1), v128.load(first + at)),
      f32x4.mul(f32x4.splat(<f32>1 - beta1), g),
    );
    const v = f32x4.add(
      f32x4.mul(f32x4.splat(beta2), v128.load(second + at)),
      f32x4.mul(f32x4.splat(<f32>1 - beta2), f32x4.mul(g, g)),
    );
    v128.store(first + at, m);
    v128.store(second + at, v);
    const size = f32x4.add(f32x4.sqrt(f32x4.mul(v, f32x4.splat(correction2))), f32x4.splat(1e-8));
    const moved = f32x4.div(f32x4.mul(step, m), size);
    const p = parameters + at;
    v128.store(p, f32x4.sub(f32x4.mul(v128.load(p), kept), moved));
  }
}
