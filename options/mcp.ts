import { networks } from './networks.ts'
import { boolean } from './setting.ts'

/** Settings of `/mcp`. */
export const mcpSettings = {
  mcp: boolean({
    default: false,
    description:
      'serve `/mcp`, the Model Context Protocol, see docs/mcp.md; needs the package `@modelcontextprotocol/sdk`'
  }),
  mcpPrivateNetworks: networks(
    'networks in which the metadata documents of MCP clients may be although they are not public'
  )
}
