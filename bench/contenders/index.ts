import { type ServerProcess, startServer } from '../server-process.ts'
import { startOwn, writeMeanwhile } from './product-templates.ts'

/** The data that all servers of a comparison serve. */
export interface Place {
  /** A SQLite file with the templates, and a copy that may be changed. */
  file: string
  changedFile?: string
  /** A file with the response of product-templates. */
  answerFile?: string
  /** The URL of a PostgreSQL database with the same templates. */
  postgres?: string | undefined
}

/** A running server and how to send requests to it. */
export interface Target {
  server: ServerProcess
  url: string
  token?: string | undefined
}

export interface Contender {
  title: string
  start(place: Place, core: number | undefined): Promise<Target>
  headers?: Record<string, string>
  /** Whether it is measured only if there is a PostgreSQL server. */
  needsPostgres?: boolean
  /** Whether every request has a different query text. */
  varied?: boolean
  /** Runs during the load. */
  meanwhile?: Meanwhile | undefined
}

/**
 * Starts other work at a target. Resolves when it has begun, with a function that ends it and returns how many
 * operations it completed per second.
 */
export type Meanwhile = (target: Target) => Promise<() => Promise<number>>

/** Starts a program of this folder in production mode. */
const startProgram =
  (program: string, ...words: string[]) =>
  (input: 'file' | 'answerFile' | 'postgres'): Contender['start'] =>
  async (place, core) => {
    const path = new URL(program, import.meta.url).pathname
    const env = { NODE_ENV: 'production' }
    const server = await startServer([path, place[input] ?? '', ...words], { env, core })
    return { server, url: server.firstLine.url ?? '', token: server.firstLine.token }
  }

const startMercurius = startProgram('mercurius.ts')('file')
const startWithFile: Contender['start'] = ({ file }, core) => startOwn(`sqlite:${file}`, core)

/** The contenders by their names in `--only`. */
export const contenders: Record<string, Contender> = {
  'node-http': { title: 'node:http, bytes ready', start: startProgram('node-http.ts')('answerFile') },
  fastify: { title: 'Fastify, bytes ready', start: startProgram('fastify-bytes.ts')('answerFile') },
  hot: { title: 'product-templates', start: startWithFile },
  compressed: {
    title: 'product-templates, zstd',
    start: startWithFile,
    headers: { 'accept-encoding': 'zstd' }
  },
  write: {
    title: 'product-templates, 10 writes/s',
    start: ({ changedFile }, core) => startOwn(`sqlite:${changedFile}`, core),
    meanwhile: writeMeanwhile
  },
  cold: { title: 'product-templates, new queries', start: startWithFile, varied: true },
  postgres: {
    title: 'product-templates, PostgreSQL',
    needsPostgres: true,
    start: ({ postgres = '' }, core) => startOwn(postgres, core)
  },
  'mercurius-jit': {
    title: 'Mercurius with jit',
    start: startProgram('mercurius.ts', '--jit')('file')
  },
  'postgres-jit': {
    title: 'Mercurius with jit, PostgreSQL',
    needsPostgres: true,
    start: startProgram('mercurius.ts', '--jit')('postgres')
  },
  mercurius: { title: 'Mercurius', start: startMercurius },
  'mercurius-cold': { title: 'Mercurius, new queries', start: startMercurius, varied: true },
  yoga: { title: 'GraphQL Yoga, no auth', start: startProgram('yoga.ts')('file') },
  apollo: { title: 'Apollo Server, no auth', start: startProgram('apollo.ts')('file') }
}
