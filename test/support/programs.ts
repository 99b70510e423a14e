/**
 * What some tests need besides Node.js, npm and git. Where it is missing, they are skipped; with `CI=true`, they fail.
 * Either way, the message names the package to install.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'

interface Requirement {
  find(): string | undefined
  /** What to do where it is missing. */
  advice: string
}

/** A program of a package of Debian. It is in PATH, unless its places are absolute. The first one found counts. */
const inPackage = (name: string, ...places: string[]): Requirement => ({
  find: () => places.map(findFile).find(found => found !== undefined),
  advice: `install the package ${name}`
})

/** The newest file that matches. */
const findFile = (place: string): string | undefined =>
  place.startsWith('/')
    ? globSync(place).sort().at(-1)
    : (process.env.PATH ?? '').split(':').flatMap(folder => globSync(join(folder, place)))[0]

const requirements = {
  'the compiler cc': inPackage('build-essential', 'cc'),
  // The headless shell, which draws no window, takes two thirds of the processor time.
  chromium: inPackage('chromium-headless-shell', 'chromium-headless-shell', 'chromium', 'google-chrome'),
  etcd: inPackage('etcd-server', 'etcd'),
  haproxy: inPackage('haproxy', 'haproxy'),
  kubectl: inPackage('kubernetes-client (1.21 or newer)', 'kubectl'),
  libfaketime: inPackage('faketime', '/usr/lib/*/faketime/libfaketimeMT.so*'),
  patroni: inPackage('patroni', 'patroni'),
  pgbouncer: inPackage('pgbouncer', 'pgbouncer', '/usr/sbin/pgbouncer'),
  postgresql: inPackage('postgresql', '/usr/lib/postgresql/*/bin/pg_basebackup'),
  promtool: inPackage('prometheus', 'promtool'),
  script: inPackage('bsdutils', 'script'),
  'systemd-analyze': inPackage('systemd', 'systemd-analyze'),
  Linux: {
    find: () => (process.platform === 'linux' ? '/proc' : undefined),
    advice: 'the test uses /proc or signals'
  },
  cgroups: {
    // Version 1, and version 2.
    find: () =>
      ['/sys/fs/cgroup/memory', '/sys/fs/cgroup'].find(folder => existsSync(join(folder, 'cgroup.procs'))),
    advice: 'mount /sys/fs/cgroup'
  },
  'the right to mount': { find: findMountRight, advice: 'run the tests as root' }
} satisfies Record<string, Requirement>

type Name = keyof typeof requirements

function findMountRight(): string | undefined {
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', 'mount', '--make-rprivate', '/'], {
      stdio: 'ignore'
    })
    return '/'
  } catch {
    return undefined
  }
}

/** Returns the path of something that a test {@link needs}. */
export function locate(name: Name): string {
  const found = requirements[name].find()
  if (found === undefined) throw new Error(describe(name))
  return found
}

/** Returns the options of a test that cannot run without these. With `CI=true`, throws if one is missing. */
export function needs(...names: Name[]): { skip: string | false } {
  const missing = names.filter(name => requirements[name].find() === undefined).map(describe)
  if (missing.length === 0) return { skip: false }
  if (process.env.CI === 'true') throw new Error(missing.join('; '))
  return { skip: missing.join('; ') }
}

const describe = (name: Name): string => `${name} is missing: ${requirements[name].advice}`
