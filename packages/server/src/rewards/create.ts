import type { Ctx } from '../context.ts'
import { ApiError } from '../http/errors.ts'
import { numbersRead } from '../lib/numeric-text.ts'
import { loadMetadataRules } from '../metadata-schemas/rules.ts'
import { attributesOf, kindOf, parametersOf, refuseOfOthers } from './define.ts'
import { toReward } from './reward.ts'
import { NewReward, type Reward } from './schema.ts'
import { insertReward } from './store.ts'

const read = numbersRead(NewReward)

export async function createReward(ctx: Ctx, sent: NewReward): Promise<Reward> {
  const body = read(sent)
  const { parameters } = body
  if (parameters == null) throw new ApiError('missing_param', { details: "Parameter 'parameters' is required" })
  const type = kindOf(parameters, body.type)
  refuseOfOthers(type, body)
  const metadata = body.metadata ?? {}
  const rules = await loadMetadataRules(ctx, 'reward')
  rules.check(metadata, { isNew: true })
  const row = await insertReward(ctx, {
    name: body.name,
    type,
    parameters: JSON.stringify(await parametersOf(ctx, parameters)),
    stock: body.stock ?? null,
    attributes: JSON.stringify(attributesOf(body.attributes)),
    metadata: JSON.stringify(metadata),
  })
  return toReward(row)
}
