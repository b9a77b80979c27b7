/**
 * Runs turns: the model loop, its steps and tool calls, and a worker's loop of claims and leases.
 * The only module that talks to models. Everything it writes is fenced by the turn's epoch, so a
 * worker that lost a turn changes nothing. Never starts sandboxes itself: they come as ports.
 */
export { AgentSource } from "./agent-source";
export { answerHostCall } from "./host-calls";
export type { PreparedAgent, RunnerPorts } from "./ports";
export { recordDenial } from "./record-denial";
export { runTurn } from "./run-turn";
export { TurnLoop } from "./turn-loop";
export { removeWorker, reportWorker } from "./worker-row";
