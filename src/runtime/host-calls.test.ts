import { expect, it } from "vitest";
import { type GuestFrame, MAX_HOST_CALLS } from "../protocol/runtime-rpc";
import { HostCalls } from "./host-calls";

it("has no more calls at its worker than run at once, and makes all of them in order", async () => {
  const sent: GuestFrame[] = [];
  const host = new HostCalls((frame) => sent.push(frame));
  const asked = Array.from({ length: 200 }, (_, n) => host.call("kv.get", { key: `k${n}` }));
  for (let answered = 0; answered < asked.length; answered++) {
    expect(sent.length).toBe(Math.min(answered + MAX_HOST_CALLS, asked.length));
    const frame = sent[answered];
    if (frame?.t !== "hcall") throw new Error("what is sent is no call");
    const { key } = frame.call.params as { key: string };
    if (answered % 2 === 0) host.settle({ t: "hres", id: frame.id, result: key });
    else host.settle({ t: "hres", id: frame.id, error: { code: "gone", message: key } });
  }
  const said = (await Promise.allSettled(asked)).map((end) =>
    end.status === "fulfilled" ? end.value : (end.reason as Error).message,
  );
  expect(said).toEqual(asked.map((_, n) => `k${n}`));
});
