import type { Station } from "./stations";

const DAY_MS = 86_400_000;
const SKIES = ["clear", "fair", "cloudy"] as const;

export interface Forecast {
  date: string;
  temperatureC: number;
  temperatureF: number;
  sky: string;
}

/** A number from 0 to 1 that is always the same for the same text. */
const chance = (text: string): number => {
  let hash = 2166136261;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619);
  return (hash >>> 0) / 2 ** 32;
};

/** The weather of one day (UTC): made up from the season, and the same each time it is asked. */
export const forecastFor = (station: Station, day: Date): Forecast => {
  const date = day.toISOString().slice(0, 10);
  const season = Math.cos(((day.getUTCMonth() - 6.5) / 12) * 2 * Math.PI);
  const roll = chance(`${station.city} ${date}`);
  const celsius = station.meanC + station.swingC * season + (roll - 0.5) * 6;
  const sky = roll < station.wet ? "rain" : SKIES[Math.floor(roll * 100) % SKIES.length];
  return {
    date,
    temperatureC: Math.round(celsius),
    temperatureF: Math.round(celsius * 1.8 + 32),
    sky: sky ?? "clear",
  };
};

/** The day that lies `days` after another. */
export const daysAfter = (day: Date, days: number): Date => new Date(day.getTime() + days * DAY_MS);
