import { defineTool } from "openberth/tools";
import { z } from "zod";
import { stationOf } from "../lib/stations";

export default defineTool({
  description: "Remember the home city that the morning report is about.",
  inputSchema: z.object({ city: z.string() }),
  effect: "write",
  dryRunResult: ({ city }) => ({ saved: false, city }),
  async execute({ city }, { host }) {
    const station = stationOf(city);
    await host.kv.put("home-city", station.city);
    return { saved: true, city: station.city };
  },
});
