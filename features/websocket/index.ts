import { boolean } from '../../options/setting.ts'
import type { Feature } from '../feature.ts'

const settings = {
  graphqlWebsocket: boolean(false).describe(
    'accept WebSockets at `/graphql` in the protocol `graphql-transport-ws`, see docs/websocket.md'
  )
}

/** GraphQL over WebSocket, for clients that subscribe in the protocol of the library graphql-ws. */
export const websocket: Feature<typeof settings> = {
  settings,
  isOn: ({ graphqlWebsocket }) => graphqlWebsocket,
  server: () => import('./plugin.ts')
}
