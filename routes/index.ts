import type { FastifyPluginCallback } from 'fastify'
import type { Endpoint } from '../db/accounts/resource.ts'
import { grantTypes } from '../db/accounts/rights.ts'
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
import { oauthProtocol, pageProtocol } from './oauth/protocol.ts'
import { loginCallback } from './oauth/provider-login.ts'
import { revoke } from './oauth/revoke.ts'
import { token } from './oauth/token.ts'
import { userinfo } from './oauth/userinfo.ts'
import { pendingResponses } from './responses/pending-responses.ts'
import type { Route } from './route.ts'
import { templateSchema } from './schemas/template.ts'
import { authorizationServer, jwks, protectedResource } from './well-known.ts'

/** Rules that endpoints share. */
interface Rules {
  auth: 'Basic' | 'Bearer' | 'login page' | 'none'
  /** Registers the body parsers and the error format. */
  protocol?: FastifyPluginCallback<ServiceSettings>
  /** The option that adds these endpoints. */
  onlyWith?: 'explorer' | 'mcp' | 'metrics' | 'passkeys'
  /** The endpoint that tokens must be for; by default `/graphql`. */
  tokensFor?: Endpoint
  /** The web pages that may read the responses: pages of any origin, or of CORS_ORIGINS. */
  crossOrigin?: 'any' | 'listed'
}

const open: Rules = { auth: 'none' }
const explorer: Rules = { auth: 'login page', protocol: pendingResponses, onlyWith: 'explorer' }
const loginPage: Rules = { auth: 'login page', protocol: pageProtocol }
const basic: Rules = { auth: 'Basic', protocol: oauthProtocol }
const basicListed: Rules = { ...basic, crossOrigin: 'listed' }
const bearerListed: Rules = { auth: 'Bearer', protocol: oauthProtocol, crossOrigin: 'listed' }
const wellKnown: Rules = { auth: 'none', crossOrigin: 'listed' }
const graphql: Rules = { auth: 'Bearer', protocol: graphqlProtocol, crossOrigin: 'listed' }
const anyPage: Rules = { auth: 'none', protocol: pendingResponses, crossOrigin: 'any' }
const changes: Rules = { auth: 'Bearer', crossOrigin: 'listed' }
const media: Rules = { auth: 'Bearer', protocol: mediaProtocol, crossOrigin: 'listed' }
const scrape: Rules = { auth: 'none', protocol: pendingResponses, onlyWith: 'metrics' }

const table: Record<`${'GET' | 'POST'} /${string}`, [rules: Rules, route: Route, what: string]> = {
  'GET /': [explorer, explorerPage, 'the explorer, a web page for people; an option of the plugin'],
  'GET /explorer/graphql': [explorer, ide, 'GraphiQL, a part of it'],
  'GET /explorer/:name': [{ ...explorer, auth: 'none' }, file, 'its files, immutable'],
  'GET /oauth/authorize': [
    loginPage,
    authorize,
    'log a user in and send a code to the client (RFC 6749 §4.1, PKCE required)'
  ],
  'POST /oauth/authorize': [loginPage, authorize, 'the same with the parameters in a form'],
  'GET /oauth/login/callback/:provider': [
    loginPage,
    loginCallback,
    'where an OpenID provider sends the browser back to'
  ],
  'GET /oauth/account': [loginPage, accountGet, 'the account of the user: password, applications, logins'],
  'POST /oauth/account': [loginPage, accountPost, 'change it'],
  'GET /oauth/password': [loginPage, passwordGet, 'set a password by a link of `user add --link`'],
  'POST /oauth/password': [loginPage, passwordPost, 'the same'],
  'GET /oauth/logout': [loginPage, logoutGet, 'ask whether to log out of the login page'],
  'POST /oauth/logout': [loginPage, logoutPost, 'log out'],
  'POST /oauth/passkey': [
    { ...loginPage, onlyWith: 'passkeys' },
    passkeyChallenge,
    'a challenge for a passkey: to log in, or to add one'
  ],
  'GET /oauth/show-password.js': [open, showPassword.route, 'the script of the login page'],
  'GET /oauth/passkeys.js': [
    { ...open, onlyWith: 'passkeys' },
    passkeyScript.route,
    'the script for passkeys'
  ],
  'POST /oauth/token': [
    basicListed,
    token,
    `issue an access token (RFC 6749; grants ${grantTypes.join(', ')})`
  ],
  'POST /oauth/revoke': [basicListed, revoke, 'revoke a token of the client (RFC 7009)'],
  'GET /oauth/userinfo': [
    bearerListed,
    userinfo,
    'who a user is; requires the scope `openid` (OpenID Connect)'
  ],
  'POST /oauth/userinfo': [bearerListed, userinfo, 'the same'],
  'POST /oauth/introspect': [basic, introspect, 'introspect a token (RFC 7662)'],
  'GET /.well-known/jwks.json': [wellKnown, jwks, 'public keys that verify the tokens (RFC 7517)'],
  'GET /.well-known/oauth-authorization-server': [
    wellKnown,
    authorizationServer,
    'authorization server metadata (RFC 8414)'
  ],
  'GET /.well-known/openid-configuration': [
    wellKnown,
    authorizationServer,
    'the same for OpenID Connect (Discovery 1.0)'
  ],
  'GET /.well-known/oauth-protected-resource': [
    wellKnown,
    protectedResource(''),
    'which tokens the service takes, and whose (RFC 9728)'
  ],
  'GET /.well-known/oauth-protected-resource/mcp': [
    { ...wellKnown, onlyWith: 'mcp' },
    protectedResource('/mcp'),
    'the same for `/mcp`'
  ],
  'POST /graphql': [graphql, graphqlPost, 'query the product templates; requires the scope `read`'],
  'GET /graphql': [graphql, graphqlGet, 'the same for queries in the URL, with an `ETag`'],
  'POST /mcp': [
    { ...graphql, onlyWith: 'mcp', tokensFor: '/mcp' },
    mcpPost,
    'the Model Context Protocol, for tools of language models; an option of the plugin'
  ],
  'GET /metadata/:id.json': [
    anyPage,
    metadata,
    'metadata of a public template for wallets and marketplaces (EIP-721, EIP-1155)'
  ],
  'GET /schemas/template.json': [anyPage, templateSchema, 'JSON Schema of the document of a template'],
  'GET /changes': [
    changes,
    changesGet,
    'every committed change of the templates, as Server-Sent Events; requires the scope `read`'
  ],
  'GET /media': [media, mediaOfLink, 'the small picture behind `link`; requires the scope `read`'],
  'GET /media/:hash': [
    media,
    mediaOfHash,
    'a picture by the SHA-256 of its bytes; requires the scope `read`'
  ],
  'POST /media': [media, mediaUpload, 'store a picture; requires the scope `write`'],
  'GET /metrics': [scrape, metrics, 'metrics for Prometheus; an option of the plugin'],
  'GET /livez': [open, livez, 'liveness: the process responds'],
  'GET /startupz': [open, startupz, 'the start has finished'],
  'GET /readyz': [
    open,
    readyz,
    'readiness: the database responds and takes writes, the service is not shutting down'
  ]
}

/** Every endpoint of the service. */
export const endpoints = Object.entries(table).map(([name, [rules, route, what]]) => {
  const [method, path] = name.split(' ') as ['GET' | 'POST', string]
  return { ...rules, method, path, what, route }
})
