import { isOriginList } from './check.ts'
import { Type } from './types.ts'

/** Settings for web pages and for the login page. */
export const browserSettings = {
  corsOrigins: Type.Optional(
    Type.Refine(
      Type.String({
        env: 'CORS_ORIGINS',
        expected: 'a list of origins, such as `https://app.example, http://localhost:5173`, or `*`',
        description: 'origins whose web pages may read responses; none if absent'
      }),
      isOriginList
    )
  ),
  sessionTtl: Type.Integer({
    env: 'SESSION_TTL',
    default: 43_200,
    minimum: 60,
    maximum: 2_592_000,
    description: 'seconds after which a browser has to log in again at `/oauth/authorize`'
  }),
  sessionIdleTtl: Type.Integer({
    env: 'SESSION_IDLE_TTL',
    default: 3_600,
    minimum: 60,
    maximum: 2_592_000,
    description: 'seconds without use after which a browser has to log in again'
  })
}
