import { defineTool } from "openberth/tools";
import { z } from "zod";
import { forecastFor } from "../lib/forecast";
import { stationOf } from "../lib/stations";

export default defineTool({
  description: "Get the current weather of a city.",
  inputSchema: z.object({ city: z.string().describe("Name of the city, such as Lisbon") }),
  outputSchema: z.object({
    city: z.string(),
    date: z.string(),
    temperatureC: z.number(),
    temperatureF: z.number(),
    sky: z.string(),
  }),
  effect: "read",
  execute({ city }, ctx) {
    const station = stationOf(city);
    return { city: station.city, ...forecastFor(station, ctx.now()) };
  },
});
