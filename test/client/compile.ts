import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { withoutRunner } from '../support/service/process.ts'

const root = new URL('../../', import.meta.url).pathname

/** Checks the types of a project; rejects with what the compiler prints. */
export const compile = (project: string): Promise<unknown> =>
  promisify(execFile)(
    'env',
    [...withoutRunner, `${root}node_modules/.bin/tsc`, '--noEmit', '--singleThreaded', '-p', project],
    {
      cwd: root
    }
  ).catch(({ stdout, stderr }) => Promise.reject(new Error(`${stdout}${stderr}`)))
