"use client";

import { createContext, useContext } from "react";

/** Where the calls on a page can be decided, and why this person may not. */
export interface ApprovalPlace {
  origin: string;
  /** Path of the agent, `/{org}/{agent}`. */
  base: string;
  blocked?: string | undefined;
  /** The reader's principal: what they decided is told as theirs. */
  me: string;
}

const Place = createContext<ApprovalPlace | undefined>(undefined);

/** Makes the call cards inside of it offer a decision. */
export const ApprovalPlaceProvider = Place.Provider;

export const useApprovalPlace = (): ApprovalPlace | undefined => useContext(Place);
