/**
 * The process that looks what adapters this machine has. Drivers are loaded in it alone, so that one that ends its
 * process ends nothing else; none is opened.
 */

import process from "node:process";
import { chooseAdapter, listedAdapters, NoDeviceError } from "./adapters.ts";
import type { AdapterChoice } from "./device-settings.ts";
import type { Probed } from "./probe.ts";

process.once("message", (choices: readonly AdapterChoice[]) => {
  void answer(choices).then((probed) => {
    process.send?.(probed, () => process.exit(0));
  });
});

/** In the order of the choices. */
async function answer(choices: readonly AdapterChoice[]): Promise<Probed[]> {
  const probed: Probed[] = [];
  for (const choice of choices) probed.push(await probe(choice));
  return probed;
}

async function probe(choice: AdapterChoice): Promise<Probed> {
  try {
    const { facts, adapter } = await chooseAdapter(choice);
    const { maxBufferSize } = adapter.limits;
    return { adapter: { ...facts, backend: await backendOf(facts.name), maxBufferSize } };
  } catch (error) {
    if (!(error instanceof NoDeviceError)) throw error;
    return { missing: error.message };
  }
}

/** What it is reached by; null where several of this machine go by other names. */
async function backendOf(name: string): Promise<string | null> {
  const listed = await listedAdapters();
  // A device is called as its adapter, in small letters and with dashes for what is none.
  const own = listed.filter((each) => plain(each.name) === plain(name));
  const backends = new Set((own.length > 0 ? own : listed).map(({ backend }) => backend));
  return backends.size === 1 ? [...backends][0]! : null;
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
