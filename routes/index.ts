import type { FastifyPluginCallback } from 'fastify'
import { grantTypes } from '../db/accounts/clients.ts'
import type { Endpoint } from '../db/accounts/resource.ts'
import type { ServiceSettings } from '../options.ts'
import { changesGet } from './changes/index.ts'
import { page as explorerPage, file, ide } from './explorer/page.ts'
import { graphqlGet, graphqlPost, graphqlProtocol } from './graphql/index.ts'
import { livez, readyz, startupz } from './health.ts'
import { mcpPost } from './mcp/index.ts'
import { mediaOfHash, mediaOfLink, mediaProtocol, mediaUpload } from './media/index.ts'
import { metadata } from './metadata/index.ts'
import { metrics } from './metrics.ts'
import { accountGet, accountPost } from './oauth/account/index.ts'
import { passkeyChallenge } from './oauth/account/passkeys.ts'
import { passwordGet, passwordPost } from './oauth/account/password.ts'
import { authorize } from './oauth/authorize/index.ts'
import { introspect } from './oauth/introspect.ts'
import { logoutGet, logoutPost } from './oauth/logout.ts'
import { showPassword } from './oauth/pages/pages.ts'
import { passkeyScript } from './oauth/pages/passkeys.ts'
import { pageProtocol } from './oauth/pages/protocol.ts'
import { oauthProtocol } from './oauth/protocol.ts'
import { loginCallback } from './oauth/provider-login.ts'
import { revoke } from './oauth/revoke.ts'
import { token } from './oauth/token.ts'
import { userinfo } from './oauth/userinfo.ts'
import { pendingResponses } from './responses/pending-responses.ts'
import type { Route } from './route.ts'
import { templateSchema } from './schemas/template.ts'
import { authorizationServer, jwks, protectedResource } from './well-known.ts'

type Method = 'GET' | 'POST'

/** Rules that endpoints share. */
interface Rules {
  auth?: 'Basic' | 'Bearer' | 'login page' | 'none'
  /** Registers the body parsers and the error format. */
  protocol?: FastifyPluginCallback<ServiceSettings>
  /** The option that adds these endpoints. */
  onlyWith?: 'explorer' | 'mcp' | 'metrics' | 'passkeys'
  /** The endpoint that tokens must be for; by default `/graphql`. */
  tokensFor?: Endpoint
  /** The web pages that may read the responses: pages of any origin, or of CORS_ORIGINS. */
  crossOrigin?: 'any' | 'listed'
}

interface Group {
  rules: Rules & Required<Pick<Rules, 'auth'>>
  /** `own` are the rules in which an endpoint differs from its group. */
  endpoints: Record<`${Method} /${string}`, [what: string, route: Route, own?: Rules]>
}

const groups: Group[] = [
  {
    rules: { auth: 'login page', protocol: pendingResponses, onlyWith: 'explorer' },
    endpoints: {
      'GET /': ['the explorer, a web page for people; an option of the plugin', explorerPage],
      'GET /explorer/graphql': ['GraphiQL, a part of it', ide],
      'GET /explorer/:name': ['its files, immutable', file, { auth: 'none' }]
    }
  },
  {
    rules: { auth: 'login page', protocol: pageProtocol },
    endpoints: {
      'GET /oauth/authorize': [
        'log a user in and send a code to the client (RFC 6749 §4.1, PKCE required)',
        authorize
      ],
      'POST /oauth/authorize': ['the same with the parameters in a form', authorize],
      'GET /oauth/login/callback/:provider': [
        'where an OpenID provider sends the browser back to',
        loginCallback
      ],
      'GET /oauth/account': ['the account of the user: password, applications, logins', accountGet],
      'POST /oauth/account': ['change it', accountPost],
      'GET /oauth/password': ['set a password by a link of `user add --link`', passwordGet],
      'POST /oauth/password': ['the same', passwordPost],
      'GET /oauth/logout': ['ask whether to log out of the login page', logoutGet],
      'POST /oauth/logout': ['log out', logoutPost],
      'POST /oauth/passkey': [
        'a challenge for a passkey: to log in, or to add one',
        passkeyChallenge,
        { onlyWith: 'passkeys' }
      ]
    }
  },
  {
    rules: { auth: 'none' },
    endpoints: {
      'GET /oauth/show-password.js': ['the script of the login page', showPassword.route],
      'GET /oauth/passkeys.js': ['the script for passkeys', passkeyScript.route, { onlyWith: 'passkeys' }]
    }
  },
  {
    rules: { auth: 'Basic', protocol: oauthProtocol, crossOrigin: 'listed' },
    endpoints: {
      'POST /oauth/token': [`issue an access token (RFC 6749; grants ${grantTypes.join(', ')})`, token],
      'POST /oauth/revoke': ['revoke a token of the client (RFC 7009)', revoke]
    }
  },
  {
    rules: { auth: 'Bearer', protocol: oauthProtocol, crossOrigin: 'listed' },
    endpoints: {
      'GET /oauth/userinfo': ['who a user is; requires the scope `openid` (OpenID Connect)', userinfo],
      'POST /oauth/userinfo': ['the same', userinfo]
    }
  },
  {
    rules: { auth: 'Basic', protocol: oauthProtocol },
    endpoints: { 'POST /oauth/introspect': ['introspect a token (RFC 7662)', introspect] }
  },
  {
    rules: { auth: 'none', crossOrigin: 'listed' },
    endpoints: {
      'GET /.well-known/jwks.json': ['public keys that verify the tokens (RFC 7517)', jwks],
      'GET /.well-known/oauth-authorization-server': [
        'authorization server metadata (RFC 8414)',
        authorizationServer
      ],
      'GET /.well-known/openid-configuration': [
        'the same for OpenID Connect (Discovery 1.0)',
        authorizationServer
      ],
      'GET /.well-known/oauth-protected-resource': [
        'which tokens the service takes, and whose (RFC 9728)',
        protectedResource('')
      ],
      'GET /.well-known/oauth-protected-resource/mcp': [
        'the same for `/mcp`',
        protectedResource('/mcp'),
        { onlyWith: 'mcp' }
      ]
    }
  },
  {
    rules: { auth: 'Bearer', protocol: graphqlProtocol, crossOrigin: 'listed' },
    endpoints: {
      'POST /graphql': ['query the product templates; requires the scope `read`', graphqlPost],
      'GET /graphql': ['the same for queries in the URL, with an `ETag`', graphqlGet],
      'POST /mcp': [
        'the Model Context Protocol, for tools of language models; an option of the plugin',
        mcpPost,
        { onlyWith: 'mcp', tokensFor: '/mcp' }
      ]
    }
  },
  {
    rules: { auth: 'none', protocol: pendingResponses, crossOrigin: 'any' },
    endpoints: {
      'GET /metadata/:id.json': [
        'metadata of a public template for wallets and marketplaces (EIP-721, EIP-1155)',
        metadata
      ],
      'GET /schemas/template.json': ['JSON Schema of the document of a template', templateSchema]
    }
  },
  {
    rules: { auth: 'Bearer', crossOrigin: 'listed' },
    endpoints: {
      'GET /changes': [
        'every committed change of the templates, as Server-Sent Events; requires the scope `read`',
        changesGet
      ]
    }
  },
  {
    rules: { auth: 'Bearer', protocol: mediaProtocol, crossOrigin: 'listed' },
    endpoints: {
      'GET /media': ['the small picture behind `link`; requires the scope `read`', mediaOfLink],
      'GET /media/:hash': ['a picture by the SHA-256 of its bytes; requires the scope `read`', mediaOfHash],
      'POST /media': ['store a picture; requires the scope `write`', mediaUpload]
    }
  },
  {
    rules: { auth: 'none', protocol: pendingResponses, onlyWith: 'metrics' },
    endpoints: { 'GET /metrics': ['metrics for Prometheus; an option of the plugin', metrics] }
  },
  {
    rules: { auth: 'none' },
    endpoints: {
      'GET /livez': ['liveness: the process responds', livez],
      'GET /startupz': ['the start has finished', startupz],
      'GET /readyz': [
        'readiness: the database responds and takes writes, the service is not shutting down',
        readyz
      ]
    }
  }
]

/** Every endpoint of the service. */
export const endpoints = groups.flatMap(({ rules, endpoints }) =>
  Object.entries(endpoints).map(([name, [what, route, own]]) => {
    const [method, path] = name.split(' ') as [Method, string]
    return { ...rules, ...own, method, path, what, route }
  })
)
