import { ArtifactParams } from "../agent/artifact-routes";
import { artifactContent } from "../artifact-content";
import { route } from "../route";

const content = route({
  method: "GET",
  path: "/api/v1/orgs/{org}/agents/{agent}/artifacts/{artifactId}/content",
  summary: "Download an artifact's contents in a browser that is signed in",
  tag: "artifacts",
  auth: "agent",
  params: ArtifactParams,
  answer: {
    status: 200,
    description: "The bytes as they were tagged; the data as JSON where there are none.",
    type: "application/octet-stream",
  },
  handler: ({ ctx, agent, params, request }) =>
    artifactContent(ctx, { agentId: agent.id, id: params.artifactId }, request),
});

export const controlArtifactRoutes = [content];
