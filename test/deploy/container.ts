/** Runs a program in the file tree of the image, as a container engine would: namespaces, limits, another user. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import type { Test } from 'tap'
import { locate } from '../support/programs.ts'

/** Read-only but for /data and /tmp; only the processes of the container in /proc. */
const enter = `
mount --make-rprivate / && mount --bind "$1" "$1" && mount --bind "$2" "$1/data" && mount -o remount,ro,bind "$1" &&
mount -t tmpfs -o mode=1777 none "$1/tmp" && mount --rbind /dev "$1/dev" && mount -t proc -o subset=pid none "$1/proc" &&
cd "$1" || exit 99
root=$1; shift 2
exec chroot --userspec=65532:65532 "$root" "$@"`

const namespaces = ['--mount', '--pid', '--fork', '--kill-child']

export interface Container {
  /** The tree of the image, the folder mounted at /data, the only variables, and bytes of memory. */
  root: string
  data: string
  env: Record<string, string>
  memory: number
}

/** Starts a program as user 65532 without capabilities. It is killed at the end of the test. */
export function startContainer(t: Test, { root, data, env, memory }: Container, words: string[]) {
  const limited = `echo $$ > ${makeMemoryGroup(t, memory)}/cgroup.procs`
  // The test runner adds variables to those that `spawn` is given.
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const inside = ['unshare', ...namespaces, '/bin/sh', '-c', enter, 'sh', root, data, ...words]
  const child: ChildProcessWithoutNullStreams = spawn('/bin/sh', [
    '-c',
    `${limited}; exec env -i "$@"`,
    'sh',
    ...variables,
    ...inside
  ])
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

/** Makes a group of processes with that much memory. */
function makeMemoryGroup(t: Test, bytes: number): string {
  const groups = locate('cgroups')
  const group = `${groups}/product-templates-${randomUUID()}`
  mkdirSync(group)
  // Empty once its processes have ended, which a teardown cannot wait for.
  t.teardown(() => rmdir(group).catch(() => {}))
  const limit = groups.endsWith('/memory') ? 'memory.limit_in_bytes' : 'memory.max'
  writeFileSync(`${group}/${limit}`, `${bytes}`)
  return group
}
