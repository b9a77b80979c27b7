/**
 * Makes ordinary TCP clients work where the only way out is the gateway's unix socket. It is a
 * convenience, not a boundary: without it the namespace has no route at all.
 */
import { syncBuiltinESMExports } from "node:module";
import { installInChildProcesses } from "./shim/child-processes";
import { installFakeDns } from "./shim/fake-dns";
import { installSocketConnect } from "./shim/socket-connect";
import { installInWorkers } from "./shim/workers";

installSocketConnect();
installFakeDns();
installInChildProcesses(__filename);
installInWorkers(__filename);
syncBuiltinESMExports();
