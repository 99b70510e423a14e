import { boolean } from '../../options/setting.ts'
import type { Feature } from '../feature.ts'

const settings = {
  mcp: boolean(false).describe(
    'serve `/mcp`, the Model Context Protocol, see docs/mcp.md; needs the package `@modelcontextprotocol/sdk`'
  )
}

/** The Model Context Protocol, for tools of language models, whose clients nobody has to register. */
export const mcp: Feature<typeof settings> = {
  settings,
  findContradictions: ({ authenticate, mcp }) =>
    authenticate && mcp
      ? ['mcp needs access tokens, which authenticate replaces: give only one of them']
      : [],
  isOn: ({ mcp }) => mcp,
  server: () => import('./server.ts')
}
