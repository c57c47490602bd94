/** The device of a file of tests without a desk: opened by the first that asks for it and closed behind the last. */

import { afterAll } from "vitest";
import { chooseAdapter } from "../adapters.ts";
import { Device } from "../device.ts";

export function sharedDevice(): () => Promise<Device> {
  let shared: Promise<Device> | undefined;
  afterAll(async () => {
    (await shared)?.close();
  });
  return () => {
    shared ??= chooseAdapter({}).then((chosen) => Device.open(chosen, { memoryBytes: 2 ** 30 }));
    return shared;
  };
}
