/** What there is no device for is said in one line. */

import { execFileSync } from "node:child_process";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { type ChosenAdapter, chooseAdapter, openDevice } from "./adapters.ts";
import { whyNoDevice } from "./testing/swiftshader.ts";

const why = whyNoDevice();

/** The adapter, but for some limits that it says it has. */
function claiming(chosen: ChosenAdapter, limits: Readonly<Record<string, number>>): ChosenAdapter {
  const adapter = new Proxy(chosen.adapter, {
    get(target, name) {
      if (name === "limits") {
        return new Proxy(target.limits, {
          get: (of, limit) => limits[String(limit)] ?? Reflect.get(of, limit, of),
        });
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { ...chosen, adapter };
}

describe.skipIf(why !== null)(`an adapter (${why ?? "SwiftShader"})`, () => {
  it("whose limits are too small is refused by name, limit and what is needed", async () => {
    const chosen = await chooseAdapter({});
    const small = claiming(chosen, { maxComputeInvocationsPerWorkgroup: 128 });
    await expect(openDevice(small)).rejects.toThrow(
      `The GPU adapter ${chosen.facts.name} has a maxComputeInvocationsPerWorkgroup of 128, less than the 256 that is needed.`,
    );
  });

  it("that claims more than its driver gives is refused by what that says", async () => {
    const chosen = await chooseAdapter({});
    const lying = claiming(chosen, { maxComputeInvocationsPerWorkgroup: 2 ** 20 });
    await expect(openDevice(lying)).rejects.toThrow(
      new RegExp(`^The GPU adapter ${chosen.facts.name} gave no device: [^\\n]*$`),
    );
  });

  it("whose device has less than it promised is refused", async () => {
    const chosen = await chooseAdapter({});
    const given = claiming(chosen, { maxStorageBuffersPerShaderStage: 4 }).adapter.limits;
    const device = await openDevice(chosen);
    const lesser = new Proxy(device, {
      get: (of, name) => (name === "limits" ? given : Reflect.get(of, name, of)),
    });
    const adapter = new Proxy(chosen.adapter, {
      get: (of, name) =>
        name === "requestDevice" ? () => Promise.resolve(lesser) : Reflect.get(of, name, of),
    });
    await expect(openDevice({ ...chosen, adapter })).rejects.toThrow(
      /^A device of the GPU adapter .* has a maxStorageBuffersPerShaderStage of 4, less than the 8/,
    );
    device.destroy();
  });

  it("is missed where the machine's drivers are", () => {
    const module = new URL("./adapters.ts", import.meta.url).href;
    const script = `import(${JSON.stringify(module)}).then(({ chooseAdapter }) => chooseAdapter({}))
      .catch(({ name, message }) => console.log(name, message));`;
    const env = { ...process.env, VK_ICD_FILENAMES: "/none", VK_DRIVER_FILES: "/none" };
    const said = execFileSync(process.execPath, ["-e", script], { env, encoding: "utf8" });
    expect(said).toMatch(/^NoDeviceError This machine has no GPU adapter[^\n]*\n$/);
  });
});
