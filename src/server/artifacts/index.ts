/**
 * Owns what agents keep for people: artifacts in versions by kind and key, with their bytes; how
 * long they are kept; and the ways to list, follow and download them.
 * Whose session an artifact belongs to comes from the call it was made in, never from what a guest
 * says. Never interprets an artifact's bytes, except to take the agent's secrets out of text.
 */
export type { ArtifactView } from "./artifact-view";
export { boundResult } from "./bound-result";
export { followArtifacts } from "./follow-artifacts";
export { getArtifact } from "./get-artifact";
export {
  type ArtifactsCall,
  beginArtifact,
  listArtifactsOfCall,
  sendArtifactPart,
  tagArtifactOfCall,
} from "./host-artifacts";
export { keepOverflow } from "./keep-overflow";
export { listArtifacts } from "./list-artifacts";
export { type OpenedArtifact, openArtifact } from "./open-artifact";
export { sweepArtifacts } from "./sweep-artifacts";
export { tagArtifactTool } from "./tag-artifact-tool";
