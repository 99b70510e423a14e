/**
 * Builds the client package when npm packs it: all modules with their types, and the schema for code generators. The
 * service's package contains the same modules, built by main.ts, so neither package depends on the other.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'

process.chdir(join(import.meta.dirname, '..'))
const dist = 'packages/client/dist'
rmSync(dist, { recursive: true, force: true })
execFileSync('node_modules/.bin/tsc', ['--project', 'packages/client'], { stdio: 'inherit' })
cpSync('graphql/schema.graphql', `${dist}/schema.graphql`)
