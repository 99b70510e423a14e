import { isNetworkList } from './media.ts'
import { boolean, text } from './setting.ts'

/** Settings of `/mcp`. */
export const mcpSettings = {
  mcp: boolean({
    default: false,
    description:
      'serve `/mcp`, the Model Context Protocol, see docs/mcp.md; needs the package `@modelcontextprotocol/sdk`'
  }),
  mcpPrivateNetworks: text(isNetworkList, {
    expected: 'networks such as 10.1.0.0/16',
    description: 'networks in which the metadata documents of MCP clients may be although they are not public'
  })
}
