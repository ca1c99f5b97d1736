import type { Ctx } from '../../core/context.ts'
import { invalidPayload } from '../../core/http/errors.ts'
import { numbersRead } from '../../core/http/numeric-text.ts'
import { loadMetadataRules } from '../../definitions/metadata-schemas/rules.ts'
import { findAssignmentTo } from '../reward-assignments/store.ts'
import { attributesOf, creditedProgram, parametersOf, refuseMaterialMembers, rewardKindOf } from './define.ts'
import { type StoredReward, toReward } from './reward.ts'
import { type Reward, RewardChanges, type RewardParameters } from './schema.ts'
import { getReward, updateReward } from './store.ts'

const read = numbersRead(RewardChanges)

/** Updates a reward. Its type cannot change; parameters are replaced, metadata merged. */
export async function changeReward(ctx: Ctx, { id, type }: StoredReward, sent: RewardChanges): Promise<Reward> {
  const body = read(sent)
  refuseMaterialMembers(type, body)
  const { name, stock, attributes } = body
  const rules = await loadMetadataRules(ctx, 'reward')
  const parameters = body.parameters == null ? undefined : await parametersAfter(ctx, id, type, body.parameters)

  const stored = await getReward(ctx, id, { lock: 'update' })
  const metadata = rules.merged(stored.metadata, body.metadata ?? {})
  const row = await updateReward(ctx, stored.id, {
    name: name ?? undefined,
    parameters: parameters && JSON.stringify(parameters),
    stock,
    attributes: attributes === undefined ? undefined : JSON.stringify(attributesOf(attributes)),
    metadata: JSON.stringify(metadata),
  })
  return toReward(row)
}

async function parametersAfter(
  ctx: Ctx,
  id: string,
  type: StoredReward['type'],
  sent: NonNullable<RewardChanges['parameters']>,
): Promise<RewardParameters> {
  if (rewardKindOf(sent, null) !== type) throw invalidPayload(`Property .parameters must be those of a ${type} reward`)
  const parameters = await parametersOf(ctx, sent)
  // Checked while the program is locked: a request that assigns the reward to it locks it exclusively and checks the
  // parameters.
  const program = creditedProgram(parameters)
  if (program !== null && (await findAssignmentTo(ctx, id, program)) !== undefined)
    throw invalidPayload(`Reward ${id} is assigned to campaign ${program} and cannot add points to its cards`)
  return parameters
}
