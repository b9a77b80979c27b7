import { type ClassValue, clsx } from "clsx";
import { extendTailwindMerge } from "tailwind-merge";

const merge = extendTailwindMerge({
  extend: { classGroups: { "font-size": [{ text: ["2xs"] }] } },
});

/** Joins class names; of two that set the same property the later one wins. */
export const cn = (...classes: ClassValue[]): string => merge(clsx(classes));
