/**
 * Builds the package of the client, when npm packs it: each module with its types, and the schema for tools that generate
 * code. The package of the service has the same modules from the same sources (main.ts), so neither needs the other.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'

process.chdir(join(import.meta.dirname, '..'))
const dist = 'packages/client/dist'
rmSync(dist, { recursive: true, force: true })
execFileSync('node_modules/.bin/tsc', ['--project', 'packages/client'], { stdio: 'inherit' })
cpSync('graphql/schema.graphql', `${dist}/schema.graphql`)
