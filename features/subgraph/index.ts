import { boolean } from '../../options/setting.ts'
import type { Feature } from '../feature.ts'

const settings = {
  graphqlSubgraph: boolean(false).describe(
    'serve as a subgraph of Apollo Federation, with `_service` and `_entities`; see docs/federation.md'
  )
}

/** The service as a subgraph of Apollo Federation. */
export const subgraph: Feature<typeof settings> = {
  settings,
  isOn: ({ graphqlSubgraph }) => graphqlSubgraph,
  schema: () => import('./subgraph.ts')
}
