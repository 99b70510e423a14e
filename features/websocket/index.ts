import { boolean } from '../../options/setting.ts'
import { counter, gauge } from '../../runtime/metrics/definitions.ts'
import type { Feature } from '../feature.ts'

const settings = {
  graphqlWebsocket: boolean(false).describe(
    'accept WebSockets at `/graphql` in the protocol `graphql-transport-ws`, see docs/websocket.md'
  )
}

const metrics = {
  websockets: gauge('open WebSockets'),
  websocket_closes_total: counter('WebSockets that have closed', ['code'])
}

export type WebSocketMetric = keyof typeof metrics

/** GraphQL over WebSocket, for clients that subscribe in the protocol of the library graphql-ws. */
export const websocket: Feature<typeof settings> = {
  settings,
  isOn: ({ graphqlWebsocket }) => graphqlWebsocket,
  metrics,
  server: () => import('./server.ts')
}
