import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/server/sandbox";
import { listen, portOf } from "../../support/listen";
import { requireBubblewrap, runInside, SandboxHarness } from "../../support/sandbox";

const usable = requireBubblewrap();
/** Cases that need what only root can set up: a user id per tenant. */
const isRoot = process.getuid?.() === 0;

describe.skipIf(!usable)("attacks from inside the sandbox", () => {
  let harness: SandboxHarness;
  let sandbox: Sandbox;
  const servers: Server[] = [];
  let hostPort: number;
  let hostSocket: string;
  let sibling: string;

  const inside = (code: string) => runInside(sandbox, code);
  const read = (path: string) =>
    inside(
      `try { return require("fs").readFileSync(${JSON.stringify(path)}, "utf8").slice(0, 300) } catch (e) { return e.code }`,
    );

  beforeAll(async () => {
    process.env.HOST_SECRET = "host-secret-value";
    const upstream = createHttpServer((request, response) =>
      response.end(`allowed ${request.headers.host}`),
    );
    const listener = createServer((socket) => socket.destroy());
    const abstract = createServer((socket) => socket.destroy());
    const unix = createServer((socket) => socket.destroy());
    await listen(upstream, 0);
    await listen(listener, 0);
    await listen(abstract, "\0berth-host-abstract");
    hostPort = portOf(listener);
    const target = { purpose: "sandbox" as const, address: "127.0.0.1", port: portOf(upstream) };
    harness = await SandboxHarness.open({
      driver: "bwrap",
      hostPrograms: true,
      domains: ["allowed.test", "*.wild.test", "localhost"],
      targets: [
        { ...target, host: "allowed.test" },
        { ...target, host: "a.wild.test" },
      ],
    });
    hostSocket = join(harness.folder, "host.sock");
    await listen(unix, hostSocket);
    servers.push(upstream, listener, abstract, unix);
    sibling = join(harness.folder, "sibling");
    await mkdir(sibling, { mode: 0o755 });
    await writeFile(join(sibling, "secret.txt"), "sibling-secret", { mode: 0o644 });
    sandbox = await harness.start();
  });
  afterAll(async () => {
    await sandbox?.kill("the test is over");
    for (const server of servers) server.close();
    await harness?.close();
    delete process.env.HOST_SECRET;
  });

  describe("files", () => {
    test("passwd is synthetic", async () => {
      expect(await read("/etc/passwd")).toMatch(/^agent:x:1000/);
      expect(await read("/etc/passwd")).not.toContain("root");
    });

    test.each([
      "/etc/shadow",
      "/root/.bashrc",
      "/proc/1/root/etc/shadow",
      "/workspace/../../../root",
      "/var/lib/dpkg/status",
      "/sys/class/net",
      "/dev/vda",
      "/dev/mem",
      "/dev/kvm",
    ])("%s cannot be read", async (path) => {
      expect(await read(path)).toMatch(/^(ENOENT|EACCES|EPERM|ENOTDIR|EISDIR)$/);
    });

    test("masked kernel facts are empty", async () => {
      for (const name of ["kcore", "kallsyms", "keys", "modules"]) {
        expect(await read(`/proc/${name}`)).toMatch(/^(|ENOENT|EACCES|EPERM)$/);
      }
    });

    test("a sibling's folder is not there, by path or through the working directory", async () => {
      expect(await read(join(sibling, "secret.txt"))).toBe("ENOENT");
      expect(await read(`/proc/self/cwd/../${sibling}/secret.txt`)).toBe("ENOENT");
    });

    test("read-only places refuse writes", async () => {
      const paths = [
        "/app/x",
        "/opt/berth/x",
        "/opt/node/bin/node",
        "/etc/x",
        "/usr/x",
        "/x",
        "/dev/x",
        "/run/berth/x",
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/vm/overcommit_memory",
      ];
      const code = `const o = {}; for (const p of ${JSON.stringify(paths)}) try { require("fs").writeFileSync(p, "x"); o[p] = "WROTE" } catch (e) { o[p] = e.code } return o`;
      const outcome = (await inside(code)) as Record<string, string>;
      expect(Object.keys(outcome)).toHaveLength(paths.length);
      expect(Object.values(outcome)).not.toContain("WROTE");
    });

    test("mounts are nosuid and nodev, and devices cannot be made", async () => {
      const code = `return require("fs").readFileSync("/proc/self/mountinfo", "utf8").split("\\n").filter(l => / \\/(workspace|state|tmp|app|usr) /.test(l)).map(l => l.split(" ")[5])`;
      const options = (await inside(code)) as string[];
      expect(options.length).toBeGreaterThanOrEqual(4);
      for (const option of options) expect(option).toMatch(/nosuid.*nodev/);
      const mknod = `return require("child_process").execSync("mknod /tmp/d b 254 0 2>&1 || true", { encoding: "utf8" })`;
      expect(await inside(mknod)).toMatch(/not permitted/i);
    });

    test("a setuid program gives nothing", async () => {
      const code = `return require("child_process").execSync("su root -c id 2>&1; true", { encoding: "utf8", timeout: 3000 })`;
      expect(await inside(code)).not.toContain("uid=0");
    });
  });

  describe("secrets of the host", () => {
    test("no environment in sight holds one", async () => {
      const code = `const fs = require("fs"); let o = ""; for (const p of fs.readdirSync("/proc").filter(x => /^\\d+$/.test(x))) try { o += fs.readFileSync("/proc/" + p + "/environ", "utf8") } catch (e) { o += e.code } return o + JSON.stringify(process.env)`;
      expect(await inside(code)).not.toContain("host-secret-value");
    });

    test("no command line in sight names a path of the host", async () => {
      const code = `const fs = require("fs"); return fs.readdirSync("/proc").filter(x => /^\\d+$/.test(x)).map(p => fs.readFileSync("/proc/" + p + "/cmdline", "utf8")).join(" ")`;
      expect(await inside(code)).not.toContain(harness.folder);
    });

    test("no descriptor was inherited but the three standard ones and the socket", async () => {
      const code = `const fs = require("fs"); return fs.readdirSync("/proc/self/fd").map(f => { try { return f + "=" + fs.readlinkSync("/proc/self/fd/" + f) } catch { return "" } }).filter(x => x && !/anon_inode|pipe:|socket:|\\/dev\\/null|\\/proc\\//.test(x))`;
      expect(await inside(code)).toEqual([]);
    });
  });

  describe("network without the shim", () => {
    const raw = (host: string, port: number) =>
      `const { TCP, TCPConnectWrap, constants } = process.binding("tcp_wrap"); const name = require("util").getSystemErrorName;
       return await new Promise(r => { const t = new TCP(constants.SOCKET), q = new TCPConnectWrap(); q.oncomplete = s => r(s === 0 ? "CONNECTED" : name(s)); const e = t.connect${host.includes(":") ? "6" : ""}(q, "${host}", ${port}); if (e) r(name(e)); })`;

    test.each([
      "169.254.169.254",
      "10.0.0.1",
      "1.1.1.1",
      "127.0.0.1",
      "::1",
      "fe80::1",
      "2606:4700:4700::1111",
    ])("TCP to %s leads nowhere", async (host) => {
      const port = host === "127.0.0.1" ? hostPort : 80;
      expect(await inside(raw(host, port))).toMatch(
        /^(ENETUNREACH|ECONNREFUSED|EADDRNOTAVAIL|EINVAL|EHOSTUNREACH)$/,
      );
    });

    test("UDP and DNS lead nowhere", async () => {
      const udp = `const s = require("dgram").createSocket("udp4"); return await new Promise(r => { s.on("error", e => r(e.code)); s.send("x", 53, "8.8.8.8", e => r(e ? e.code : "SENT")) })`;
      expect(await inside(udp)).toBe("ENETUNREACH");
      const dns = `return await require("dns").promises.resolve4("x.attacker.example").catch(e => e.code)`;
      expect(await inside(dns)).toMatch(/^(ECONNREFUSED|ETIMEOUT|ESERVFAIL|ENOTFOUND)$/);
    });

    test("unix sockets of the host are out of reach, named or abstract", async () => {
      const dial = (path: string) =>
        inside(
          `return await new Promise(r => require("net").connect(${JSON.stringify(path)}).on("connect", () => r("CONNECTED")).on("error", e => r(e.code)))`,
        );
      expect(await dial(hostSocket)).toBe("ENOENT");
      expect(await dial("\0berth-host-abstract")).toMatch(/^(ECONNREFUSED|ENOENT)$/);
    });

    test.each([
      ["VSOCK", 40],
      ["PACKET", 17],
      ["ALG", 38],
      ["BLUETOOTH", 31],
      ["XDP", 44],
      ["TIPC", 30],
    ])("no socket of family %s", async (_name, family) => {
      const perl = `perl -e 'socket(S,${family},1,0) ? print "OPENED" : print "$!"'`;
      const code = `return require("child_process").execSync(${JSON.stringify(perl)}, { encoding: "utf8" })`;
      expect(await inside(code)).toMatch(/Address family not supported/);
    });
  });

  describe("the gateway", () => {
    const exchange = (request: string) =>
      inside(
        `return await new Promise(r => { const s = require("net").connect("/run/berth/egress.sock"); let b = ""; s.on("connect", () => s.write(${JSON.stringify(request)})); s.on("data", d => { b += d; if (b.includes("\\r\\n\\r\\n")) { r(b.slice(0, 300)); s.destroy() } }); s.on("close", () => r("closed " + b)); s.on("error", e => r(e.code)) })`,
      );

    test.each([
      "169.254.169.254:80",
      "127.0.0.1:5432",
      "localhost:80",
      "[::1]:5432",
      "[::ffff:127.0.0.1]:5432",
      "2130706433:80",
      "0x7f.1:80",
      "0177.0.0.1:80",
      "127.1:80",
      "evil.test:443",
      "allowed.test.evil.test:443",
      "xallowed.test:443",
      "wild.test:443",
      "allowed.test@evil.test:443",
      "evil.test#allowed.test:443",
      "allowed.test%00.evil.test:443",
      "allowed.test:5432",
    ])("CONNECT %s is refused", async (target) => {
      expect(await exchange(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(
        /^(HTTP\/1.1 (403|400)|closed )/,
      );
    });

    test.each(["allowed.test:443", "ALLOWED.test.:443", "a.wild.test:443"])(
      "CONNECT %s works",
      async (target) => {
        expect(await exchange(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(
          /^HTTP\/1.1 200/,
        );
      },
    );

    const get = (url: string, host: string) =>
      exchange(`GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    test("absolute-form requests obey the same rules", async () => {
      expect(await get("http://169.254.169.254/latest/meta-data", "169.254.169.254")).toMatch(
        / 403 /,
      );
      expect(await get("http://2130706433:5432/", "x")).toMatch(/ 403 /);
    });

    test("a lying Host header does not reach the origin", async () => {
      const code = `const http = require("http"); return await new Promise((r, j) => http.get({ socketPath: "/run/berth/egress.sock", path: "http://allowed.test/", headers: { host: "evil.test" } }, s => { let b = ""; s.on("data", d => b += d); s.on("end", () => r(b)) }).on("error", j))`;
      expect(await inside(code)).toBe("allowed allowed.test");
    });

    test("the folder of the socket holds nothing else", async () => {
      expect(await inside(`return require("fs").readdirSync("/run/berth")`)).toEqual([
        "egress.sock",
      ]);
    });

    test("what was refused is reported with the line that would allow it", async () => {
      await exchange("CONNECT reported.test:8443 HTTP/1.1\r\nHost: x\r\n\r\n");
      await expect
        .poll(() => harness.denials.find(({ host }) => host === "reported.test"))
        .toMatchObject({ port: 8443, allowLine: "reported.test:8443" });
    });
  });

  describe("processes and the kernel", () => {
    test("processes of the host can be neither seen nor signalled", async () => {
      const signal = `try { process.kill(${process.pid}, 0); return "SIGNALLED" } catch (e) { return e.code }`;
      expect(await inside(signal)).toBe("ESRCH");
      const count = `return require("fs").readdirSync("/proc").filter(x => /^\\d+$/.test(x)).length`;
      expect(await inside(count)).toBeLessThan(6);
    });

    test.runIf(process.arch === "x64").each([
      ["ptrace", "101,0,0,0,0"],
      ["unshare", "272,268435456"],
      ["unshare net", "272,1073741824"],
      ["setns", "308,0,0"],
      ["mount", "165,0,0,0,0,0"],
      ["keyctl", "250,0,-3,0"],
      ["bpf", "321,0,0,0"],
      ["io_uring_setup", "425,1,0"],
      ["userfaultfd", "323,0"],
      ["perf_event_open", "298,0,0,0,0,0"],
      ["process_vm_readv", "310,1,0,0,0,0,0"],
      ["open_by_handle_at", "304,0,0,0"],
      ["init_module", "175,0,0,0"],
      ["memfd_create", "319,0,0"],
      ["shmget", "29,0,4096,950"],
      ["clone with a user namespace", "56,268435473,0,0,0,0"],
    ])("%s is refused", async (_name, call) => {
      const perl = `perl -e '$r = syscall(${call}); print $r == -1 ? $!+0 : "OK"'`;
      const code = `return require("child_process").execSync(${JSON.stringify(perl)}, { encoding: "utf8" })`;
      expect(await inside(code)).toBe("1");
    });

    test("no user namespace can be made", async () => {
      const code = `try { return require("child_process").execSync("unshare -Ur id 2>&1", { encoding: "utf8" }) } catch (e) { return "FAILED " + e.stdout }`;
      expect(await inside(code)).toMatch(/^FAILED .*not permitted/i);
    });

    test("the namespace's init is as confined as the guest", async () => {
      const text = await inside(`return require("fs").readFileSync("/proc/1/status", "utf8")`);
      expect(text).toMatch(/^Seccomp:\s+2$/m);
      expect(text).toMatch(/^CapEff:\s+0000000000000000$/m);
      expect(text).toMatch(/^NoNewPrivs:\s+1$/m);
    });
  });

  describe("a link planted in the guest's folders", () => {
    test("removing the folder on the host does not touch what it names", async () => {
      const { removeTree, openFolder } = await import("../../../src/server/sandbox/no-follow");
      const parent = join(harness.folder, "planted");
      await mkdir(join(parent, "ws/deep"), { recursive: true });
      await symlink(sibling, join(parent, "ws/deep/link"));
      await symlink("/etc", join(parent, "ws/etc"));
      const folder = await openFolder(parent);
      await removeTree(folder, "ws");
      await folder.close();
      expect(await readFile(join(sibling, "secret.txt"), "utf8")).toBe("sibling-secret");
      await symlink(sibling, join(parent, "swapped"));
      await expect(openFolder(join(parent, "swapped"))).rejects.toMatchObject({
        code: expect.stringMatching(/ELOOP|ENOTDIR/),
      });
    });
  });

  describe.runIf(isRoot)("as root: a user per tenant", () => {
    test("two agents' processes run as different users, neither of them ours", async () => {
      const other = await harness.start("org/other");
      expect(other.uid).toBeGreaterThan(200_000);
      expect(other.uid).not.toBe(sandbox.uid);
      await other.kill("the test is over");
    });
  });
});
