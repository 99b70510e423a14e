/** `npm start`: builds the explorer if its sources have changed, and runs the command from the sources. */
import { execFileSync } from 'node:child_process'
import { isCurrent } from './explorer-version.ts'

if (!isCurrent({ needsIde: false }))
  execFileSync(process.execPath, ['build/explorer.ts', '--cache-only'], { stdio: 'inherit' })
await import('../cli/main.ts')
