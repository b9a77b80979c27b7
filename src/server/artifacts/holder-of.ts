/** Whose blobs an artifact's bytes are: erased with its session, or where there is none, its agent. */
export const holderOf = ({
  sessionId,
  agentId,
}: {
  sessionId: string | null;
  agentId: string;
}): string => sessionId ?? agentId;
