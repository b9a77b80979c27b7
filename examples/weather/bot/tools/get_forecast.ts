import { prompt } from "openberth";
import { defineTool } from "openberth/tools";
import { z } from "zod";
import { daysAfter, forecastFor } from "../lib/forecast";
import { stationOf } from "../lib/stations";

export default defineTool({
  description: prompt`
    Get the forecast of a city for the coming days.
    For the weather right now use get_weather.
  `,
  inputSchema: z.object({
    city: z.string().describe("Name of the city, such as Oslo"),
    days: z.number().int().min(1).max(7).default(3),
  }),
  effect: "read",
  execute({ city, days }, ctx) {
    const station = stationOf(city);
    const today = ctx.now();
    return {
      city: station.city,
      days: Array.from({ length: days }, (_, n) => forecastFor(station, daysAfter(today, n + 1))),
    };
  },
});
