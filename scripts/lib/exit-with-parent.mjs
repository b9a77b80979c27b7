// Preloaded into every service that `up` starts: when `up` is killed, the service drains and ends
// instead of living on without anybody to stop it.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();
