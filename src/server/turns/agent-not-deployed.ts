import { AppError } from "../platform/errors";

export const notDeployed = (): AppError =>
  new AppError("agent_not_deployed", "This agent has no active version. Run: berth deploy");
