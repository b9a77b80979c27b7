export interface Station {
  city: string;
  /** Mean temperature of the year, °C. */
  meanC: number;
  /** Half the distance between the coldest and the warmest month, °C. */
  swingC: number;
  /** Share of days with rain. */
  wet: number;
}

export const STATIONS: readonly Station[] = [
  { city: "Berlin", meanC: 10, swingC: 9.5, wet: 0.42 },
  { city: "Lisbon", meanC: 17, swingC: 6, wet: 0.28 },
  { city: "Oslo", meanC: 6.5, swingC: 11, wet: 0.44 },
  { city: "San Francisco", meanC: 14, swingC: 3, wet: 0.19 },
  { city: "Tokyo", meanC: 16, swingC: 11, wet: 0.33 },
];

/** The station of a city, whatever its capitals. Throws naming the cities there are. */
export const stationOf = (city: string): Station => {
  const wanted = city.trim().toLowerCase();
  const found = STATIONS.find((station) => station.city.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const known = STATIONS.map((station) => station.city).join(", ");
  throw new Error(`There is no station in ${city}. Try one of: ${known}.`);
};
