/** What a device is told to do: kernels, copies, and the buffers that these are of. */

/** A shader with its buffers, ready to be run. */
export interface Kernel {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
}

/** Part of a buffer, from a byte on. */
export interface Slice {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

/** A buffer, or part of one that others have parts of. */
export type Region = GPUBuffer | Slice;

export const sliceOf = (region: Region): Slice =>
  "buffer" in region ? region : { buffer: region, offset: 0, size: region.size };

/** What is done one after another. */
export type Step =
  | { readonly kernel: Kernel; readonly groups: readonly [x: number, y?: number] }
  | { readonly clear: Region; readonly bytes: number }
  | {
      readonly copy: Region;
      readonly from: number;
      readonly to: Region;
      readonly at: number;
      readonly bytes: number;
    };
