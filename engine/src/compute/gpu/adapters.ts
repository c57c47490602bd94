/**
 * The adapters of this machine and the choice of one, by the optional package `webgpu` (Dawn for Node).
 * Where there is none, the answer is a line that says why, and the CPU computes.
 */

import { createRequire } from "node:module";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { AdapterChoice } from "./device-settings.ts";

/** An adapter, as the log and the card name it. */
export interface AdapterFacts {
  readonly name: string;
  readonly vendor: string;
  readonly architecture: string;
  /** Its driver, as far as that tells. */
  readonly description: string;
  /** It computes on the CPU, so that nothing is gained by it. */
  readonly isSoftware: boolean;
}

/** Why no adapter is used: one line for whoever asked for it. */
export class NoDeviceError extends Error {
  override readonly name = "NoDeviceError";
}

/** Least limits that the shaders need; both are what every WebGPU device has. */
const LEAST_LIMITS = [
  ["maxComputeWorkgroupStorageSize", 16_384],
  ["maxComputeInvocationsPerWorkgroup", 256],
  ["maxStorageBuffersPerShaderStage", 8],
] as const;

/** More of these is asked for, as much as the adapter says it has. */
const WANTED_LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupsPerDimension",
  "maxStorageBuffersPerShaderStage",
] as const;

interface Dawn {
  create(options: string[]): GPU;
}

/** Asked for before Dawn is, which would complain on the console. */
const VULKAN = "libvulkan.so.1";

/** What every way to an adapter goes by, the Vulkan loader and the package. @throws NoDeviceError */
export function requireDawn(): URL {
  requireVulkan();
  try {
    // By its place: bundlers are not to look for what may not be there.
    return pathToFileURL(createRequire(import.meta.url).resolve("webgpu"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new NoDeviceError(
      code === "MODULE_NOT_FOUND" ? "The optional package webgpu is not installed." : noLoad(error),
    );
  }
}

const noLoad = (error: unknown): string =>
  `The package webgpu does not load here: ${firstLine(error)}`;

function requireVulkan(): void {
  if (process.platform !== "linux") return;
  try {
    process.dlopen({ exports: {} }, VULKAN);
  } catch (error) {
    // It is there, and no module of Node's.
    if (String(error).includes("did not self-register")) return;
    throw new NoDeviceError(
      `This machine has no GPU adapter: there is no ${VULKAN} (the Vulkan loader).`,
    );
  }
}

async function loadDawn(): Promise<Dawn> {
  const file = requireDawn();
  try {
    return await import(file.href);
  } catch (error) {
    throw new NoDeviceError(noLoad(error));
  }
}

const firstLine = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).split("\n", 1)[0]!;

/** No adapter has it, and Dawn answers such a name with a list of those that there are. */
const NO_ADAPTER = "an adapter of no machine";

/** Names of all adapters, by what Dawn says of them. Empty where the system has none. */
export async function adapterNames(): Promise<string[]> {
  return (await listedAdapters()).map(({ name }) => name);
}

/** All adapters with what they are reached by: `vulkan`, `metal`, `d3d12`. */
export async function listedAdapters(): Promise<
  { readonly backend: string; readonly name: string }[]
> {
  const { create } = await loadDawn();
  const gpu = create([`adapter=${NO_ADAPTER}`]);
  try {
    await gpu.requestAdapter();
    return [];
  } catch (error) {
    const text = error instanceof Error ? error.message : "";
    const lines = text.matchAll(/backend: '([^']*)', name: '([^']*)'/g);
    return [...lines].map(([, backend, name]) => ({ backend: backend!, name: name! }));
  }
}

/**
 * Workgroup memory is as it was left: shaders clear what they read. Clearing it for them costs a pass over all
 * of it, and SwiftShader compiles seconds longer.
 */
const TOGGLES = ["enable-dawn-features=disable_workgroup_init"];

/** An adapter, and what must stay reachable for as long as it is used: else the process aborts. */
export interface ChosenAdapter {
  readonly gpu: GPU;
  readonly adapter: GPUAdapter;
  readonly facts: AdapterFacts;
}

/** @throws NoDeviceError */
export async function chooseAdapter({ name }: AdapterChoice): Promise<ChosenAdapter> {
  const { create } = await loadDawn();
  const gpu = create([...TOGGLES, ...(name === undefined ? [] : [`adapter=${name}`])]);
  let adapter: GPUAdapter | null;
  try {
    adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  } catch {
    const names = await adapterNames();
    throw new NoDeviceError(
      names.length === 0
        ? "This machine has no GPU adapter."
        : `No GPU adapter here is called ${name}; there ${names.length === 1 ? "is" : "are"}: ${names.join(", ")}.`,
    );
  }
  if (adapter === null) {
    throw new NoDeviceError(
      "This machine has no GPU adapter (on Linux one needs the vendor's Vulkan driver).",
    );
  }
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info;
  return {
    gpu,
    adapter,
    facts: {
      name: device || description || vendor,
      vendor,
      architecture,
      description,
      isSoftware: isFallbackAdapter,
    },
  };
}

/** A device with all that the adapter has of what the shaders can use. @throws NoDeviceError */
export async function openDevice({ adapter, facts }: ChosenAdapter): Promise<GPUDevice> {
  requireLimits(`The GPU adapter ${facts.name}`, adapter.limits);
  const requiredLimits = Object.fromEntries(
    WANTED_LIMITS.map((limit) => [limit, adapter.limits[limit]]),
  );
  const optional = ["shader-f16", "timestamp-query"] as const;
  const requiredFeatures = optional.filter((feature) => adapter.features.has(feature));
  let device: GPUDevice;
  try {
    device = await adapter.requestDevice({ requiredLimits, requiredFeatures });
  } catch (error) {
    throw new NoDeviceError(`The GPU adapter ${facts.name} gave no device: ${firstLine(error)}`);
  }
  // What the adapter said of itself need not be so.
  requireLimits(`A device of the GPU adapter ${facts.name}`, device.limits);
  return device;
}

/** @param who has the limits, to begin a sentence @throws NoDeviceError */
function requireLimits(who: string, limits: GPUSupportedLimits) {
  for (const [limit, least] of LEAST_LIMITS) {
    if (limits[limit] >= least) continue;
    throw new NoDeviceError(
      `${who} has a ${limit} of ${limits[limit]}, less than the ${least} that is needed.`,
    );
  }
}
