import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { findPid, type PostgresServer, writeFiles } from '../../postgres.ts'

const name = 'disk-stopped'

/** Lets the disks of servers that start from now on be stopped. Needs a compiler for C; returns whether there is one. */
export function canStopDisks(t: Test): boolean {
  const library = join(t.testdir(), 'disk.so')
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(import.meta.dirname, 'disk.c')])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return false
  }
  process.env.LD_PRELOAD = library
  return true
}

/** Whether the disk of a server can be stopped: a library that cannot be read is ignored, with a warning that nobody sees. */
export const canStopDisk = ({ directory }: PostgresServer): boolean =>
  readFileSync(`/proc/${findPid(directory)}/maps`, 'utf8').includes('disk.so')

/** Makes all that a server writes wait, while it still answers what it can without; returns what ends that. */
export function stopDisk(server: PostgresServer): () => void {
  writeFiles(server, { [name]: '' })
  return () => rmSync(join(server.directory, name))
}
