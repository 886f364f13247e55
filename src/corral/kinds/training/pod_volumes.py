"""The volumes of a pod template: every source that Kubernetes knows, each checked when a pod is made."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

OpenObject = dict[str, Any]


class Volume(msgspec.Struct, rename="camel", kw_only=True, frozen=True):
    """One volume of each pod, and where it comes from."""

    name: Annotated[str, Meta(description="The name by which containers mount it.")]
    config_map: Annotated[OpenObject, Meta(description="Files from a ConfigMap.")] = {}
    csi: Annotated[OpenObject, Meta(description="Storage of a CSI driver that lives as long as the pod.")] = {}
    downward_api: Annotated[OpenObject, Meta(description="Files that tell of the pod.")] = msgspec.field(
        name="downwardAPI", default={}
    )
    empty_dir: Annotated[OpenObject, Meta(description="A folder that lives as long as the pod.")] = {}
    ephemeral: Annotated[OpenObject, Meta(description="A claim that lives as long as the pod.")] = {}
    host_path: Annotated[OpenObject, Meta(description="A path of the node.")] = {}
    image: Annotated[OpenObject, Meta(description="The files of an image.")] = {}
    nfs: Annotated[OpenObject, Meta(description="A share of an NFS server.")] = {}
    persistent_volume_claim: Annotated[OpenObject, Meta(description="A PersistentVolumeClaim.")] = {}
    projected: Annotated[OpenObject, Meta(description="Several sources in one folder.")] = {}
    secret: Annotated[OpenObject, Meta(description="Files from a Secret.")] = {}
    aws_elastic_block_store: Annotated[OpenObject, Meta(description="A disk of AWS; early form of csi.")] = {}
    azure_disk: Annotated[OpenObject, Meta(description="A disk of Azure; early form of csi.")] = {}
    azure_file: Annotated[OpenObject, Meta(description="A share of Azure; early form of csi.")] = {}
    cephfs: Annotated[OpenObject, Meta(description="A share of Ceph; early form of csi.")] = {}
    cinder: Annotated[OpenObject, Meta(description="A disk of OpenStack; early form of csi.")] = {}
    fc: Annotated[OpenObject, Meta(description="A disk over Fibre Channel.")] = {}
    flex_volume: Annotated[OpenObject, Meta(description="Storage of a driver from before CSI.")] = {}
    flocker: Annotated[OpenObject, Meta(description="A data set of Flocker, which is no more.")] = {}
    gce_persistent_disk: Annotated[OpenObject, Meta(description="A disk of Google Cloud; early form of csi.")] = {}
    git_repo: Annotated[OpenObject, Meta(description="A clone of a repository; use an init container instead.")] = {}
    glusterfs: Annotated[OpenObject, Meta(description="A share of GlusterFS, which is no longer served.")] = {}
    iscsi: Annotated[OpenObject, Meta(description="A disk over iSCSI.")] = {}
    photon_persistent_disk: Annotated[OpenObject, Meta(description="A disk of Photon, which is no more.")] = {}
    portworx_volume: Annotated[OpenObject, Meta(description="A volume of Portworx; early form of csi.")] = {}
    quobyte: Annotated[OpenObject, Meta(description="A volume of Quobyte, which is no longer served.")] = {}
    rbd: Annotated[OpenObject, Meta(description="A disk of Ceph; early form of csi.")] = {}
    scale_io: Annotated[OpenObject, Meta(description="A volume of ScaleIO, which is no longer served.")] = (
        msgspec.field(name="scaleIO", default={})
    )
    storageos: Annotated[OpenObject, Meta(description="A volume of StorageOS, which is no longer served.")] = {}
    vsphere_volume: Annotated[OpenObject, Meta(description="A disk of vSphere; early form of csi.")] = {}
