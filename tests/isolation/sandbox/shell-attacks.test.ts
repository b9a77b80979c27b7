import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SHELL_PROGRAMS } from "../../../src/server/sandbox/shell-programs";
import { listen, portOf } from "../../support/listen";
import { requireBubblewrap, SandboxHarness } from "../../support/sandbox";
import { ShellHarness } from "../../support/shells";

const usable = requireBubblewrap();

describe.skipIf(!usable)("attacks from a session's shell", () => {
  let harness: SandboxHarness;
  let shell: ShellHarness;
  const servers: Server[] = [];
  let hostPort: number;
  let hostSocket: string;

  const run = (command: string, session?: string, egress?: boolean) =>
    shell.run(`{ ${command}\n} 2>&1`, session, egress);

  beforeAll(async () => {
    process.env.HOST_SECRET = "host-secret-value";
    const upstream = createHttpServer((request, response) =>
      response.end(`allowed ${request.headers.host}`),
    );
    const listener = createServer((socket) => socket.destroy());
    const unix = createServer((socket) => socket.destroy());
    await listen(upstream, 0);
    await listen(listener, 0);
    hostPort = portOf(listener);
    const target = { purpose: "sandbox" as const, address: "127.0.0.1", port: portOf(upstream) };
    harness = await SandboxHarness.open({
      driver: "bwrap",
      env: { TENANT_TOKEN: "tenant-secret-value" },
      targets: [{ ...target, host: "allowed.test" }],
    });
    hostSocket = join(harness.folder, "host.sock");
    await listen(unix, hostSocket);
    servers.push(upstream, listener, unix);
    shell = await ShellHarness.open(harness, { domains: ["allowed.test"] });
  });
  afterAll(async () => {
    await shell?.shells.close();
    for (const server of servers) server.close();
    await harness?.close();
    delete process.env.HOST_SECRET;
  });

  describe("files", () => {
    test.each([
      "/etc/shadow",
      "/root/.bashrc",
      "/proc/1/root/etc/shadow",
      "/var/lib/dpkg/status",
      "/app/bundle.mjs",
      "/state",
      "/sys/class/net",
      "/dev/mem",
      "/home",
    ])("%s is not there", async (path) => {
      expect(await run(`cat ${path}; ls ${path}; true`)).toMatch(
        /No such file|Permission denied|Not a directory/,
      );
      expect(await run(`ls ${path} >/dev/null && echo LISTED; true`)).not.toContain("LISTED");
    });

    test("of the host's programs only the allowed ones are there", async () => {
      const names = (await run("ls /usr/bin /usr/sbin /usr/local/bin /sbin 2>/dev/null; true"))
        .split("\n")
        .filter((line) => line !== "" && !line.endsWith(":"));
      const allowed = [...SHELL_PROGRAMS.map(({ name }) => name), "python3"];
      expect(names).toContain("bash");
      expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
      expect(await run("command -v perl gcc su sudo mount apt-get bwrap ssh; true")).toBe("");
      expect(await run("ls /usr")).not.toMatch(/include|src|local/);
    });

    test("nothing can be written but the workspace and the temporary folders", async () => {
      const places =
        "/ /app /dev /etc /home /opt /opt/berth /run /run/berth /usr /usr/bin /usr/lib";
      const command = `for d in ${places} /workspace /tmp /dev/shm; do touch $d/x 2>/dev/null && echo $d; done; true`;
      expect(await run(command)).toBe("/workspace\n/tmp\n/dev/shm\n");
    });

    test("mounts are nosuid and nodev, and devices cannot be made", async () => {
      const options = await run(
        "grep -E ' /(workspace|tmp|usr/bin/bash|usr/lib[^ ]*) ' /proc/self/mountinfo | cut -d' ' -f6",
      );
      const lines = options.trim().split("\n");
      expect(lines.length).toBeGreaterThanOrEqual(3);
      for (const line of lines) expect(line).toMatch(/nosuid.*nodev/);
      const mknod = "import os; os.mknod('/tmp/d', 0o60600, os.makedev(254, 0))";
      expect(await run(`python3 -c "${mknod}"; true`)).toMatch(/not permitted/i);
    });

    test("a link planted for the host, or for the shell itself, leads nowhere", async () => {
      await run("ln -s /etc/shadow report; ln -s /proc/1/root up; ln -s / all");
      for (const path of ["report", "up/etc/shadow", "all/etc/shadow"]) {
        expect(await shell.refusal({ kind: "read", path })).toMatch(
          /leaves the workspace|link to nothing|does not exist|permission denied/,
        );
        expect(await run(`cat ${path}; true`)).toMatch(/No such file|Permission denied/);
      }
      const { matches } = await shell.done<"grep">({ kind: "grep", pattern: "root:" });
      expect(matches).toEqual([]);
      const planted = join(shell.root, "parked/ses_a/report");
      await expect(readFile(planted, "utf8")).resolves.toContain("root");
    });
  });

  describe("secrets", () => {
    test("no environment in sight holds one, neither the host's nor the agent's", async () => {
      const seen = await run("env; cat /proc/*/environ | tr '\\0' '\\n'; true");
      expect(seen).toContain("HOME=/tmp");
      expect(seen).not.toMatch(/host-secret-value|tenant-secret-value|VITEST|DATABASE/);
    });

    test("no command line in sight names a path of the host", async () => {
      expect(await run("cat /proc/*/cmdline; true")).not.toContain(harness.folder);
    });
  });

  describe("other sessions", () => {
    test("one session's workspace is out of another's sight, before and while it is used", async () => {
      await run("echo mine-b > secret", "ses_b");
      const holding = run("touch holding; until [ -e go ]; do sleep 0.02; done", "ses_b");
      await expect.poll(() => run("ls", "ses_b")).toContain("holding");
      const look =
        "find / -name secret -not -path '/proc/*'; cat /workspace/ses_b/secret ../ses_b/secret; true";
      expect(await run(look)).not.toMatch(/mine-b|^\/.*secret$/m);
      for (const path of ["../ses_b/secret", "/workspace/ses_b/secret", "ses_b/secret"]) {
        expect(await shell.refusal({ kind: "read", path })).toMatch(/outside|does not exist/);
      }
      expect(await run("cat secret; touch go", "ses_b")).toBe("mine-b\n");
      await holding;
    });

    test("one session's processes can be neither seen nor signalled by another", async () => {
      await run("sleep 300 & echo $! > pid", "ses_b");
      const pid = (await run("cat pid", "ses_b")).trim();
      expect(await run("ps -eo args=")).not.toContain("sleep 300");
      // Everything it may signal is its own, its shell too; the next call starts that again.
      await expect(run("kill -9 -1")).rejects.toMatchObject({ code: "runtime_lost", sent: true });
      expect(await run("echo again")).toBe("again\n");
      expect(await run(`ps -p ${pid} -o args=`, "ses_b")).toBe("sleep 300\n");
      await run(`kill ${pid}`, "ses_b");
    });

    test("they do not share their temporary folders or sockets", async () => {
      await run("echo x > /tmp/shared; echo x > /dev/shm/shared", "ses_b");
      expect(await run("ls /tmp/shared /dev/shm/shared; true")).not.toMatch(/^\//m);
      const serve =
        "import socket; s = socket.socket(socket.AF_UNIX); s.bind('\\0berth-b'); s.listen(); open('up', 'w'); s.accept()";
      await run(`python3 -c "${serve}" & true`, "ses_b");
      await expect.poll(() => run("ls", "ses_b")).toContain("up");
      const dial = "import socket; socket.socket(socket.AF_UNIX).connect('\\0berth-b')";
      expect(await run(`python3 -c "${dial}"; true`)).toMatch(/refused/i);
    });
  });

  describe("network", () => {
    const dial = (host: string, port: number) =>
      run(`python3 -c "import socket; socket.create_connection(('${host}', ${port}), 3)"; true`);

    test.each(["169.254.169.254", "10.0.0.1", "1.1.1.1", "127.0.0.1", "::1"])(
      "TCP to %s leads nowhere",
      async (host) => {
        expect(await dial(host, host === "127.0.0.1" ? hostPort : 80)).toMatch(
          /unreachable|refused|Cannot assign/i,
        );
      },
    );

    test("names are not resolved, and UDP leads nowhere", async () => {
      expect(await dial("example.com", 80)).toMatch(/resolution|not known/i);
      const udp =
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('8.8.8.8', 53))";
      expect(await run(`python3 -c "${udp}"; true`)).toMatch(/unreachable/i);
    });

    test("a unix socket of the host is not there", async () => {
      const code = `import socket; socket.socket(socket.AF_UNIX).connect('${hostSocket}')`;
      expect(await run(`python3 -c "${code}"; true`)).toMatch(/No such file/);
    });

    test("the agent's domains are reached through the gateway, by curl, python and node", async () => {
      expect(await run("curl -s http://allowed.test/")).toBe("allowed allowed.test");
      const python = "import urllib.request as u; print(u.urlopen('http://allowed.test/').read())";
      expect(await run(`python3 -c "${python}"`)).toContain("allowed allowed.test");
      const node = "fetch('http://allowed.test/').then(r => r.text()).then(console.log)";
      expect(await run(`node -e "${node}"`)).toBe("allowed allowed.test\n");
    });

    test.each(["evil.test", "169.254.169.254", "127.0.0.1:5432", "localhost"])(
      "the gateway refuses %s, and says so",
      async (host) => {
        const curl = "curl -s -o /dev/null --noproxy '' -w '%{http_code}'";
        expect(await run(`${curl} -x http://127.0.0.1:3128 http://${host}/; true`)).toBe("403");
        const name = host.split(":")[0];
        await expect.poll(() => harness.denials.map((denial) => denial.host)).toContain(name);
      },
    );

    test("with egress closed nothing is reached, and there is no way to ask", async () => {
      const command =
        "curl -sS --max-time 5 http://allowed.test/; curl -sS --max-time 5 -x http://127.0.0.1:3128 http://allowed.test/; ls /run/berth; env";
      const seen = await run(`${command}; true`, "ses_a", false);
      expect(seen).not.toMatch(/^allowed /m);
      expect(seen).not.toMatch(/EGRESS|proxy=/i);
      expect(seen).toMatch(/Could not resolve/);
      expect(seen).toMatch(/\/run\/berth.*No such file/);
      expect(await run("curl -s http://allowed.test/")).toBe("allowed allowed.test");
    });
  });

  describe("the kernel", () => {
    const python = (code: string) => run(`python3 -c "${code}"; true`);

    test.runIf(process.arch === "x64").each([
      ["ptrace", 101],
      ["unshare", 272],
      ["setns", 308],
      ["mount", 165],
      ["keyctl", 250],
      ["bpf", 321],
      ["io_uring_setup", 425],
      ["userfaultfd", 323],
    ])("%s is refused", async (_name, number) => {
      const code = `import ctypes, os; r = ctypes.CDLL(None, use_errno=True).syscall(${number}, 0, 0, 0, 0, 0); print(r, os.strerror(ctypes.get_errno()))`;
      expect(await python(code)).toBe("-1 Operation not permitted\n");
    });

    test.each([
      ["VSOCK", 40],
      ["PACKET", 17],
      ["ALG", 38],
    ])("no socket of family %s", async (_name, family) => {
      expect(await python(`import socket; socket.socket(${family}, 1)`)).toMatch(
        /not supported by protocol/,
      );
    });

    test("commands have no capabilities, a filter, and no way to new privileges", async () => {
      const status = await run("cat /proc/self/status");
      expect(status).toMatch(/^Seccomp:\s+2$/m);
      expect(status).toMatch(/^CapEff:\s+0000000000000000$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    });
  });

  describe("a folder of the host", () => {
    test("that a link stands for is not taken as a workspace", async () => {
      const sibling = join(harness.folder, "sibling");
      await mkdir(sibling);
      await writeFile(join(sibling, "secret"), "sibling-secret");
      await run("true", "ses_l");
      await symlink(sibling, join(shell.root, "parked/ses_link"));
      expect(await run("ls; cat secret; true", "ses_link")).not.toContain("sibling-secret");
    });
  });
});
