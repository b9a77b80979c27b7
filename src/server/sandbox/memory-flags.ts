/** Node flags for a process with that much memory: half for its heap, the rest for all else. */
export const memoryFlags = (memoryMb: number): string[] => [
  `--max-old-space-size=${Math.max(64, Math.floor(memoryMb / 2))}`,
  "--max-semi-space-size=2",
];
