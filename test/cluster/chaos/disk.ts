import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { findPid, type PostgresServer, writeFiles } from '../../support/postgres/postgres.ts'
import { locate } from '../../support/programs.ts'

const name = 'disk-stopped'

/** Servers that start from now on have disks that can be stopped. */
export function prepareDisks(t: Test): void {
  const library = join(t.testdir(), 'disk.so')
  execFileSync(locate('the compiler cc'), [
    '-shared',
    '-fPIC',
    '-o',
    library,
    join(import.meta.dirname, 'disk.c')
  ])
  process.env.LD_PRELOAD = library
}

/** Whether the disk of a server can be stopped. If the server cannot read the library, it starts without it. */
export const canStopDisk = ({ directory }: PostgresServer): boolean =>
  readFileSync(`/proc/${findPid(directory)}/maps`, 'utf8').includes('disk.so')

/** Makes a server wait when it writes, while it still answers reads. Returns a function that ends that. */
export function stopDisk(server: PostgresServer): () => void {
  writeFiles(server, { [name]: '' })
  return () => rmSync(join(server.directory, name))
}
