import type { Caller } from '../core/context.ts'
import type { StoredRedemption } from './redemption.ts'

/** Through which a redemption or rollback was made: the key of the request, or the user who is signed in. */
export const callerChannel = ({
  api_key,
  user,
}: Pick<Caller, 'api_key' | 'user'>): Pick<StoredRedemption, 'channel_type' | 'channel_id'> =>
  user === undefined
    ? { channel_type: 'API', channel_id: api_key?.app_id ?? '' }
    : { channel_type: 'USER', channel_id: user.id }
