import { networks } from './networks.ts'
import { boolean } from './setting.ts'

/** Settings of webhooks. */
export const webhookSettings = {
  webhooks: boolean({
    default: true,
    description: 'whether to send changes to the webhooks in the database, if there are any'
  }),
  webhookPrivateNetworks: networks(
    'networks in which receivers of webhooks may be although they are not public'
  )
}
